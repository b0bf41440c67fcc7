import { Observable } from '../shared/observable.js';
import { readAll } from './read-all.js';

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
    const blocked = await readAll((page) => this.#game.call('listBlockedPlayers', page));
    this.names = new Map(blocked.map(({ wallet, username }) => [wallet, username]));
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
