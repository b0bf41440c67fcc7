import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { ApiError, get, post } from '../shared/api.js';
import { Observable } from '../shared/observable.js';

/** @typedef {import('../../src/client/operation-types.ts').OperationName} OperationName */
/**
 * @template {OperationName} Name
 * @typedef {import('../../src/client/operation-types.ts').OperationInput<Name>} Input
 */
/**
 * @template {OperationName} Name
 * @typedef {import('../../src/client/operation-types.ts').OperationOutput<Name>} Output
 */

/** How often an unreachable server is polled, in milliseconds. */
const reconnectPollMs = 2_000;

/**
 * The admin operations, called with the admin token. Changes when the server becomes unreachable or reachable
 * again; `reconnects` counts the latter, so that views reload what may have changed in the meantime.
 */
export class Admin extends Observable {
  #token;
  #onRefused;
  #pollTimer = 0;
  #closed = false;
  reachable = true;
  reconnects = 0;

  /**
   * @param {string} token
   * @param {() => void} onRefused called when the token is no longer valid
   */
  constructor(token, onRefused) {
    super();
    this.#token = token;
    this.#onRefused = onRefused;
  }

  /**
   * Calls an admin operation.
   * @template {OperationName} Name
   * @param {Name} name
   * @param {Input<Name>} input
   * @param {{ timeoutMs?: number }} [options]
   * @returns {Promise<Output<Name>>}
   * @throws {ApiError}
   */
  async call(name, input, options = {}) {
    const headers = { Authorization: `Bearer ${this.#token}` };
    try {
      return await this.#track(post(`/admin/${kebabCase(name)}`, input, { ...options, headers }));
    } catch (error) {
      const refused = error instanceof ApiError && error.reason === 'admin_token_invalid';
      if (refused && !this.#closed) this.#onRefused();
      throw error;
    }
  }

  /**
   * Calls a public operation.
   * @template {OperationName} Name
   * @param {Name} name
   * @param {Input<Name>} input
   * @returns {Promise<Output<Name>>}
   * @throws {ApiError}
   */
  callPublic(name, input) {
    return this.#track(post(`/launcher/${kebabCase(name)}`, input));
  }

  /** Stops polling. Pending responses still reach their callers, and change nothing else. */
  close() {
    this.#closed = true;
    clearTimeout(this.#pollTimer);
  }

  /**
   * @template Answer
   * @param {Promise<Answer>} answer
   */
  async #track(answer) {
    try {
      const answered = await answer;
      this.#setOnline();
      return answered;
    } catch (error) {
      const reason = error instanceof ApiError ? error.reason : '';
      if (reason === 'connection_lost') this.#setOffline();
      if (reason === 'timed_out') this.#probe();
      throw error;
    }
  }

  #setOffline() {
    if (!this.reachable || this.#closed) return;
    this.reachable = false;
    this.changed();
    this.#pollUntilOnline();
  }

  /** A timed-out call does not mean that the server is unreachable: a fast call tells. */
  #probe() {
    if (this.#closed) return;
    get('/readyz').catch((error) => {
      // Not ready is a response too.
      if (error instanceof ApiError && error.code === 0) this.#setOffline();
    });
  }

  #pollUntilOnline() {
    this.#pollTimer = window.setTimeout(async () => {
      try {
        await get('/readyz');
      } catch {
        if (!this.#closed) this.#pollUntilOnline();
        return;
      }
      this.#setOnline();
    }, reconnectPollMs);
  }

  #setOnline() {
    if (this.reachable || this.#closed) return;
    clearTimeout(this.#pollTimer);
    this.reachable = true;
    this.reconnects += 1;
    this.changed();
  }
}

/** @param {string} name */
function kebabCase(name) {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

export const AdminContext = createContext(/** @type {Admin | null} */ (null));

/** The signed-in administrator's calls. */
export function useAdmin() {
  const admin = useContext(AdminContext);
  if (admin === null) throw new Error('this view requires a signed-in administrator');
  return admin;
}
