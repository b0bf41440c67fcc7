import { useEffect } from 'preact/hooks';
import { Observable, useChanges } from '../shared/observable.js';
import { useAdmin } from './admin.js';

/** The most wallets in one call. */
const maxPerCall = 250;

/** Names of the players that lists show by wallet only; those of one rendering are loaded with one call. */
class PlayerNames extends Observable {
  #admin;
  /** Null while loading, and for a wallet that is no player's. @type {Map<string, { username: string, avatar: string } | null>} */
  #known = new Map();
  /** @type {string[]} */
  #wanted = [];

  /** @param {import('./admin.js').Admin} admin */
  constructor(admin) {
    super();
    this.#admin = admin;
  }

  /** @param {string} wallet */
  get(wallet) {
    return this.#known.get(wallet) ?? null;
  }

  /** @param {string} wallet */
  want(wallet) {
    if (this.#known.has(wallet)) return;
    this.#known.set(wallet, null);
    if (this.#wanted.push(wallet) === 1) queueMicrotask(() => this.#load());
  }

  async #load() {
    const wallets = this.#wanted.splice(0, maxPerCall);
    if (this.#wanted.length > 0) queueMicrotask(() => this.#load());
    try {
      const { players } = await this.#admin.call('getPlayerNames', { wallets });
      for (const { wallet, username, avatar } of players) this.#known.set(wallet, { username, avatar });
      this.changed();
    } catch {
      for (const wallet of wallets) this.#known.delete(wallet); // wallets are shown; requested again with the next list
    }
  }
}

/** @type {WeakMap<import('./admin.js').Admin, PlayerNames>} */
const namesOf = new WeakMap();

/**
 * The name and avatar of a player: the given ones or, without a name, those loaded from the server.
 * @param {{ wallet: string, username?: string | undefined, avatar?: string | undefined }} player
 */
export function usePlayerName({ wallet, username, avatar }) {
  const admin = useAdmin();
  let names = namesOf.get(admin);
  if (!names) {
    names = new PlayerNames(admin);
    namesOf.set(admin, names);
  }
  useChanges(names);
  useEffect(() => {
    if (username === undefined) names.want(wallet);
  }, [wallet, username]);
  const known = username === undefined ? names.get(wallet) : null;
  return { username: username ?? known?.username, avatar: avatar ?? known?.avatar };
}
