import { get } from '../shared/api.js';
import { Observable } from '../shared/observable.js';

/**
 * @typedef {{ _id: string, normalizedAddress: string, score: number, updatedAt: number, username: string, avatar: string, position: number }} Row
 * @typedef {{ key: string, wallet: string, text: string, at: number, onChain: boolean }} FeedItem
 */

const feedLength = 40;
/** Unknown names are looked up in batches, at most this often, in milliseconds. */
const lookUpDelayMs = 800;

/** A game's leaderboard and activity feed, kept current. */
export class PublicStream extends Observable {
  #connection;
  #players;
  #gameId;
  #wallet;
  #lookUpTimer = 0;
  #positionTimer = 0;
  /** @type {Row[] | null} null until loaded */
  rows = null;
  /** @type {FeedItem[] | null} */
  feed = null;
  /** @type {unknown} */
  error = null;
  /** @type {number | null} the player's rank, also beyond the rows shown */
  position = null;

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

  /** Subscribes to the game, also after a reconnect: signals are not replayed, so the leaderboard is reloaded. */
  async follow() {
    try {
      const { leaderboard } = await this.#connection.subscribe(this.#gameId);
      this.#setRows(leaderboard);
      this.error = null;
      if (this.feed === null) await this.loadFeed();
      await this.#findPosition();
    } catch (error) {
      // Loaded data stays; the error is shown only when there is none.
      if (this.rows === null) this.error = error;
    }
    this.changed();
  }

  /** Reloads the feed: at the start, and when missed events cannot be replayed. */
  async loadFeed() {
    const query = new URLSearchParams({ gameId: this.#gameId, pageSize: String(feedLength) });
    const { result } = await get(`/activities?${query}`);
    this.feed = result.data.map(
      (/** @type {any} */ { type, user, displayText, timestamp }, /** @type {number} */ index) => {
        this.#players.learn(user.address, user.username);
        const onChain = type === 'on-chain';
        return {
          key: `${timestamp} ${index}`,
          wallet: user.address,
          text: displayText,
          at: timestamp,
          onChain,
        };
      },
    );
    this.changed();
  }

  /** @param {{ gameId: string, length: number, rows: Row[] }} change */
  applyLeaderboard({ gameId, length, rows: patches }) {
    if (gameId !== this.#gameId || this.rows === null) return;
    const rows = [...this.rows];
    for (const row of patches) rows[row.position - 1] = row;
    this.#setRows(rows.slice(0, length));
    this.findPositionSoon();
    this.changed();
  }

  /** @param {{ _id: string, gameId: string, label: string, normalizedAddress: string, timestamp: number }} activity */
  addActivity({ _id, gameId, label, normalizedAddress: wallet, timestamp }) {
    if (gameId !== this.#gameId || this.feed === null) return;
    const text = label
      .replaceAll('{username}', () => this.#players.name(wallet))
      .replaceAll('{wallet}', () => wallet);
    const item = { key: _id, wallet, text, at: timestamp, onChain: false };
    this.feed = [item, ...this.feed].slice(0, feedLength);
    if (!this.#players.knows(wallet)) this.#scheduleLookUp();
    this.changed();
  }

  /** Reloads the player's rank, which may have changed; at most once a second. */
  findPositionSoon() {
    if (this.#positionTimer !== 0) return;
    this.#positionTimer = window.setTimeout(() => {
      this.#positionTimer = 0;
      this.#findPosition().then(
        () => this.changed(),
        () => {},
      );
    }, 1_000);
  }

  close() {
    clearTimeout(this.#lookUpTimer);
    clearTimeout(this.#positionTimer);
    this.#connection.unsubscribe(this.#gameId).catch(() => {});
  }

  /** @param {Row[]} rows */
  #setRows(rows) {
    for (const { normalizedAddress, username, avatar } of rows) {
      this.#players.learn(normalizedAddress, username, avatar);
    }
    this.rows = rows;
    const own = rows.find(({ normalizedAddress }) => normalizedAddress === this.#wallet);
    if (own) this.position = own.position;
  }

  async #findPosition() {
    if (this.rows?.some(({ normalizedAddress }) => normalizedAddress === this.#wallet)) return;
    const { position } = await this.#connection.call('getUsersPositionInGameScoreLeaderboard', {
      gameId: this.#gameId,
      wallet: this.#wallet,
    });
    this.position = position ?? null;
  }

  /** Reloads the feed, whose response contains the name of a player that is not known yet. */
  #scheduleLookUp() {
    if (this.#lookUpTimer !== 0) return;
    this.#lookUpTimer = window.setTimeout(() => {
      this.#lookUpTimer = 0;
      this.loadFeed().catch(() => {});
    }, lookUpDelayMs);
  }
}
