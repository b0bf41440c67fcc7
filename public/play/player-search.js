import { Observable } from '../shared/observable.js';

const pageSize = 250;
/** Rows of a leaderboard read per search, unless the player asks for more. */
const rowsPerSearch = 1_000;

/** The server searches by at least so many characters of the beginning of a name. */
const minNameLength = 3;

/**
 * Finds players: those met so far by a part of their name, all who can be searched by its beginning, and then those on
 * the game's public leaderboards, at whatever rank.
 */
export class PlayerSearch extends Observable {
  #connection;
  #players;
  #gameId;
  /** The leaderboards not read to their end, and where they continue; null until the first search. @type {{ leaderboard: string, skip: number }[] | null} */
  #boards = null;
  #isSearching = false;
  /** The last text that was searched by. */
  #searched = '';

  /**
   * @param {Pick<import('gantry-client').GantryClient, 'call'>} connection
   * @param {import('./player-book.js').PlayerBook} players
   * @param {string} gameId
   */
  constructor(connection, players, gameId) {
    super();
    this.#connection = connection;
    this.#players = players;
    this.#gameId = gameId;
  }

  get isSearching() {
    return this.#isSearching;
  }

  /** Whether there are ranks that have not been searched. */
  get hasMore() {
    return this.#boards === null || this.#boards.length > 0;
  }

  /**
   * The players met whose name contains the text or whose wallet begins with it.
   * @param {string} query in lowercase
   */
  found(query) {
    return this.#players.wallets.filter(
      (wallet) => this.#players.name(wallet).toLowerCase().includes(query) || wallet.startsWith(query),
    );
  }

  /**
   * Searches all players, and reads on in the leaderboards until someone is found.
   * @param {string} query in lowercase
   */
  async search(query) {
    if (this.#isSearching || (!this.hasMore && query === this.#searched)) return;
    this.#isSearching = true;
    this.changed();
    const before = this.found(query).length;
    try {
      if (query !== this.#searched && query.length >= minNameLength) await this.#searchNames(query);
      this.#searched = query;
      if (this.found(query).length > before) return;
      this.#boards ??= await this.#publicBoards();
      for (let rows = 0; rows < rowsPerSearch && this.found(query).length === before; rows += pageSize) {
        if (!(await this.#readOn())) break;
      }
    } finally {
      this.#isSearching = false;
      this.changed();
    }
  }

  /** @param {string} query */
  async #searchNames(query) {
    // Refused when called too often: the leaderboards are searched in any case.
    const { players } = await this.#connection
      .call('searchPlayers', { query })
      .catch(() => ({ players: [] }));
    for (const { wallet, username, avatar } of players) this.#players.learn(wallet, username, avatar);
  }

  async #publicBoards() {
    const { leaderboards } = await this.#connection.call('getLeaderboards', { gameId: this.#gameId });
    const names = new Set(['default', ...leaderboards.map(({ leaderboard }) => leaderboard)]);
    return [...names].map((leaderboard) => ({ leaderboard, skip: 0 }));
  }

  /** Reads the next page of a leaderboard; false when all have been read. */
  async #readOn() {
    const [board] = this.#boards ?? [];
    if (!board) return false;
    const page = { gameId: this.#gameId, ...board, limit: pageSize };
    const { leaderboard } = await this.#connection.call('getGameScoresLeaderboard', page);
    for (const row of leaderboard) this.#players.learn(row.normalizedAddress, row.username, row.avatar);
    if (leaderboard.length < pageSize) this.#boards?.shift();
    else board.skip += pageSize;
    return true;
  }
}
