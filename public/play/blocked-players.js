import { Observable } from '../shared/observable.js';

const pageSize = 250;

/** @typedef {Pick<import('gantry-client').GantryClient, 'call'>} Session */

/** The players that the player has blocked in every game or in the open one. Blocks and unblocks in every game. */
export class BlockedPlayers extends Observable {
  #launcher;
  #game;
  /** Names by wallet; a name may be empty. @type {ReadonlyMap<string, string>} */
  names = new Map();

  /**
   * @param {Session} launcher with the launcher's own token
   * @param {Session} game with the token of the session in the game
   */
  constructor(launcher, game) {
    super();
    this.#launcher = launcher;
    this.#game = game;
  }

  /** @param {string} wallet */
  has(wallet) {
    return this.names.has(wallet);
  }

  async load() {
    /** @type {Map<string, string>} */
    const names = new Map();
    for (let total = 1; names.size < total; ) {
      const page = await this.#game.call('listBlockedPlayers', { limit: pageSize, skip: names.size });
      total = page.data.length === 0 ? 0 : page.total;
      for (const { wallet, username } of page.data) names.set(wallet, username);
    }
    this.names = names;
    this.changed();
  }

  /** @param {string} wallet */
  async block(wallet) {
    await this.#launcher.call('blockPlayer', { wallet });
    this.names = new Map(this.names).set(wallet, this.names.get(wallet) ?? '');
    this.changed();
  }

  /** @param {string} wallet */
  async unblock(wallet) {
    await this.#launcher.call('unblockPlayer', { wallet });
    const names = new Map(this.names);
    names.delete(wallet);
    this.names = names;
    this.changed();
  }
}
