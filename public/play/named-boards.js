import { Observable } from '../shared/observable.js';

/**
 * @typedef {import('./public-stream.js').Row} Row
 * @typedef {import('../../src/scores/leaderboard.ts').LeaderboardSummary} Board
 * @typedef {{ season: number, startedAt: number, endedAt: number }} Season
 */

const shownRows = 50;
const shownSeasons = 50;
/** The player's own place is looked up at most this often, in milliseconds. */
const positionAfterMs = 1_000;

/** The public leaderboards of a game that have a name, and the one of them that is on screen. */
export class NamedBoards extends Observable {
  #connection;
  #players;
  #gameId;
  #wallet;
  #positionDue = 0;
  /** Of what was chosen since, answers are no longer wanted. */
  #choice = 0;
  /** @type {readonly Board[]} */
  list = [];
  /** The name of the one on screen; null: `default`, which is not among them. @type {string | null} */
  chosen = null;
  /** A finished season that is on screen; null: the one under way. @type {number | null} */
  season = null;
  /** The finished seasons, the last one first. @type {readonly Season[]} */
  seasons = [];
  /** @type {readonly Row[] | null} null until they are there */
  rows = null;
  /** @type {number | null} the player's place, also beyond the rows shown */
  position = null;
  /** @type {unknown} */
  error = null;

  /**
   * @param {import('gantry-client').GantryClient} connection
   * @param {import('./player-book.js').PlayerBook} players
   * @param {{ gameId: string, wallet: string }} of
   */
  constructor(connection, players, { gameId, wallet }) {
    super();
    this.#connection = connection;
    this.#players = players;
    this.#gameId = gameId;
    this.#wallet = wallet;
  }

  /** What is on screen; null: `default`. @returns {Board | null} */
  get board() {
    return this.list.find(({ leaderboard }) => leaderboard === this.chosen) ?? null;
  }

  /** Loads which there are, and again what is on screen: also after a reconnect, as changes are not replayed. */
  async load() {
    try {
      const { leaderboards } = await this.#connection.call('getLeaderboards', { gameId: this.#gameId });
      this.list = leaderboards;
    } catch (error) {
      if (this.chosen !== null) this.error = error;
    }
    // It may have been removed, or be no longer public.
    if (this.chosen !== null && this.board === null) this.chosen = null;
    this.changed();
    await this.#loadChosen();
  }

  /**
   * Shows a leaderboard, in the season under way or in a finished one.
   * @param {string | null} name null: `default`
   * @param {number | null} [season]
   */
  async choose(name, season = null) {
    if (name !== this.chosen) this.seasons = [];
    this.chosen = name;
    this.season = season;
    this.rows = null;
    this.position = null;
    this.error = null;
    this.changed();
    await this.#loadChosen();
  }

  /** @param {{ gameId: string, leaderboard: string, length: number, rows: readonly Row[] }} change */
  apply({ gameId, leaderboard, length, rows: patches }) {
    if (gameId !== this.#gameId || leaderboard !== this.chosen || this.season !== null) return;
    const rows = [...(this.rows ?? [])];
    for (const row of patches) rows[row.position - 1] = row;
    const whole = rows.slice(0, length);
    // The first change after subscribing brings all rows; before it, one may be missing.
    if (whole.length < length || whole.includes(/** @type {any} */ (undefined))) this.#loadChosen();
    else this.#setRows(whole);
    this.scored(leaderboard);
    this.changed();
  }

  /** @param {{ gameId: string, leaderboard: string }} ended */
  seasonEnded({ gameId, leaderboard }) {
    if (gameId !== this.#gameId) return;
    if (leaderboard === this.chosen && this.season === null) this.rows = [];
    this.load();
  }

  /** The player's place may have changed. @param {string} leaderboard */
  scored(leaderboard) {
    if (leaderboard !== this.chosen || this.season !== null || this.#positionDue !== 0) return;
    this.#positionDue = window.setTimeout(() => {
      this.#positionDue = 0;
      this.#findPosition().catch(() => {});
    }, positionAfterMs);
  }

  close() {
    clearTimeout(this.#positionDue);
  }

  async #loadChosen() {
    const { chosen, season } = this;
    const choice = ++this.#choice;
    if (chosen === null) return;
    const board = { gameId: this.#gameId, leaderboard: chosen };
    try {
      const [{ leaderboard }, { seasons }] = await Promise.all([
        this.#connection.call('getGameScoresLeaderboard', {
          ...board,
          limit: shownRows,
          ...(season !== null && { season }),
        }),
        this.#connection.call('getLeaderboardSeasons', { ...board, limit: shownSeasons }),
      ]);
      if (choice !== this.#choice) return;
      this.seasons = seasons;
      this.#setRows(leaderboard.map((row, index) => ({ ...row, position: index + 1 })));
      this.error = null;
      await this.#findPosition();
    } catch (error) {
      if (choice === this.#choice && this.rows === null) this.error = error;
    }
    this.changed();
  }

  async #findPosition() {
    const { chosen, season } = this;
    const choice = this.#choice;
    const own = this.rows?.find(({ normalizedAddress }) => normalizedAddress === this.#wallet);
    if (own) {
      this.position = own.position;
    } else if (chosen !== null) {
      const { position } = await this.#connection.call('getUsersPositionInGameScoreLeaderboard', {
        gameId: this.#gameId,
        leaderboard: chosen,
        wallet: this.#wallet,
        ...(season !== null && { season }),
      });
      if (choice === this.#choice) this.position = position ?? null;
    }
    this.changed();
  }

  /** @param {readonly Row[]} rows */
  #setRows(rows) {
    for (const { normalizedAddress, username, avatar } of rows) {
      this.#players.learn(normalizedAddress, username, avatar);
    }
    this.rows = rows;
  }
}
