import { defaultName } from 'gantry-names';

/** Names and avatars of players, collected from responses. */
export class PlayerBook {
  /** @type {Map<string, { username: string, avatar: string | undefined }>} */
  #players = new Map();

  /**
   * @param {string} wallet
   * @param {string} username
   * @param {string} [avatar]
   */
  learn(wallet, username, avatar = this.#players.get(wallet)?.avatar) {
    this.#players.set(wallet, { username, avatar });
  }

  /** @param {string} wallet */
  knows(wallet) {
    return this.#players.has(wallet);
  }

  /** @param {string} wallet */
  name(wallet) {
    return this.#players.get(wallet)?.username ?? defaultName(wallet);
  }

  /** @param {string} wallet */
  avatar(wallet) {
    return this.#players.get(wallet)?.avatar;
  }

  /** Every player with a known name. */
  get wallets() {
    return [...this.#players.keys()];
  }
}
