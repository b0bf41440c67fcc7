import { Observable } from '../shared/observable.js';

/**
 * @typedef {import('./public-stream.js').Row} Row
 * @typedef {import('../../src/features/scores/leaderboard.ts').LeaderboardSummary} Board
 * @typedef {{ season: number, startedAt: number, endedAt: number }} Season
 */

const shownRows = 50;
const shownSeasons = 50;
/** The player's own rank is looked up at most this often, in milliseconds. */
const positionDelayMs = 1_000;

/** A game's public leaderboards except `default`, and the selected one. */
export class NamedBoards extends Observable {
  #connection;
  #players;
  #gameId;
  #wallet;
  #positionTimer = 0;
  /** Incremented on each load; responses to an earlier one are discarded. */
  #loadCount = 0;
  /** @type {readonly Board[]} */
  list = [];
  /** The name of the selected leaderboard; null: `default`, which is not in `list`. @type {string | null} */
  chosen = null;
  /** The selected finished season; null: the current one. @type {number | null} */
  season = null;
  /** The finished seasons, newest first. @type {readonly Season[]} */
  seasons = [];
  /** @type {readonly Row[] | null} null until loaded */
  rows = null;
  /** @type {number | null} the player's rank, also beyond the rows shown */
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

  /** The selected leaderboard; null: `default`. @returns {Board | null} */
  get board() {
    return this.list.find(({ leaderboard }) => leaderboard === this.chosen) ?? null;
  }

  /** Loads the list and reloads the selected leaderboard; also after a reconnect, because changes are not replayed. */
  async load() {
    try {
      const { leaderboards } = await this.#connection.call('getLeaderboards', { gameId: this.#gameId });
      this.list = leaderboards;
    } catch (error) {
      if (this.chosen !== null) this.error = error;
    }
    // It may have been removed, or may no longer be public.
    if (this.chosen !== null && this.board === null) this.chosen = null;
    this.changed();
    await this.#loadChosen();
  }

  /**
   * Selects a leaderboard, for the current season or a finished one.
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
    const patched = rows.slice(0, length);
    // The first change after subscribing has all rows; before that, rows may be missing.
    if (patched.length < length || patched.includes(/** @type {any} */ (undefined))) this.#loadChosen();
    else this.#setRows(patched);
    this.scored(leaderboard);
    this.changed();
  }

  /** @param {{ gameId: string, leaderboard: string }} ended */
  seasonEnded({ gameId, leaderboard }) {
    if (gameId !== this.#gameId) return;
    if (leaderboard === this.chosen && this.season === null) this.rows = [];
    this.load();
  }

  /** Looks up the player's rank, which may have changed, after a delay. @param {string} leaderboard */
  scored(leaderboard) {
    if (leaderboard !== this.chosen || this.season !== null || this.#positionTimer !== 0) return;
    this.#positionTimer = window.setTimeout(() => {
      this.#positionTimer = 0;
      this.#findPosition().catch(() => {});
    }, positionDelayMs);
  }

  close() {
    clearTimeout(this.#positionTimer);
  }

  async #loadChosen() {
    const { chosen, season } = this;
    const choice = ++this.#loadCount;
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
      if (choice !== this.#loadCount) return;
      this.seasons = seasons;
      this.#setRows(leaderboard.map((row, index) => ({ ...row, position: index + 1 })));
      this.error = null;
      await this.#findPosition();
    } catch (error) {
      if (choice === this.#loadCount && this.rows === null) this.error = error;
    }
    this.changed();
  }

  async #findPosition() {
    const { chosen, season } = this;
    const choice = this.#loadCount;
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
      if (choice === this.#loadCount) this.position = position ?? null;
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
