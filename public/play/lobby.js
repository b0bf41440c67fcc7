import { BlockedPlayers } from './blocked-players.js';
import { Conversations } from './conversations.js';
import { PlayerSearch } from './player-search.js';

/** They are listed whenever the launcher is opened, also when a game is opened right away. */
const listSize = 25;

/** The player's conversations outside of games: those of the launcher's own session. */
export class Lobby {
  /**
   * @param {import('gantry-client').GantryClient} connection with the launcher's own token
   * @param {import('./player-book.js').PlayerBook} players
   * @param {{ wallet: string, gameId: string }} session the launcher's own
   */
  constructor(connection, players, { wallet, gameId }) {
    this.gameId = gameId;
    this.conversations = new Conversations(connection, players, wallet, listSize);
    this.blocked = new BlockedPlayers(connection, connection);
    this.search = new PlayerSearch(connection, players, gameId);
  }

  /** Loads everything, or brings it up to date after a reconnect. */
  async load() {
    await Promise.all([
      this.blocked.load().catch(() => {}), // the server omits their messages in any case
      this.conversations.loaded || this.conversations.load(),
    ]);
  }

  /** @param {() => void} listener */
  onChange(listener) {
    for (const source of [this.conversations, this.blocked]) source.onChange(listener);
  }

  close() {
    this.conversations.close();
  }
}
