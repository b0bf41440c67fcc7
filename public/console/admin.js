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

/** How often a server that went away is looked for, in milliseconds. */
const lookAgainMs = 2_000;

/**
 * The administrators' operations, called with the admin token. Changes when the server goes away or comes
 * back; `returns` counts its comings back, so that views load anew what may have changed meanwhile.
 */
export class Admin extends Observable {
  #token;
  #onRefused;
  #looking = 0;
  #closed = false;
  reachable = true;
  returns = 0;

  /**
   * @param {string} token
   * @param {() => void} onRefused called when the token is no longer accepted
   */
  constructor(token, onRefused) {
    super();
    this.#token = token;
    this.#onRefused = onRefused;
  }

  /**
   * Calls an administrators' operation.
   * @template {OperationName} Name
   * @param {Name} name
   * @param {Input<Name>} input
   * @param {{ timeoutMs?: number }} [options] for what may take longer than calls do
   * @returns {Promise<Output<Name>>}
   * @throws {ApiError}
   */
  async call(name, input, options = {}) {
    const headers = { Authorization: `Bearer ${this.#token}` };
    try {
      return await this.#follow(post(`/admin/${kebabCase(name)}`, input, { ...options, headers }));
    } catch (error) {
      const refused = error instanceof ApiError && error.reason === 'admin_token_invalid';
      if (refused && !this.#closed) this.#onRefused();
      throw error;
    }
  }

  /**
   * Calls an operation that is for anyone.
   * @template {OperationName} Name
   * @param {Name} name
   * @param {Input<Name>} input
   * @returns {Promise<Output<Name>>}
   * @throws {ApiError}
   */
  callPublic(name, input) {
    return this.#follow(post(`/launcher/${kebabCase(name)}`, input));
  }

  /** Looks for the server no longer. Answers still to come reach their callers, and change nothing else. */
  close() {
    this.#closed = true;
    clearTimeout(this.#looking);
  }

  /**
   * @template Answer
   * @param {Promise<Answer>} answer
   */
  async #follow(answer) {
    try {
      const answered = await answer;
      this.#isBack();
      return answered;
    } catch (error) {
      const reason = error instanceof ApiError ? error.reason : '';
      if (reason === 'connection_lost') this.#isAway();
      if (reason === 'timed_out') this.#lookNow();
      throw error;
    }
  }

  #isAway() {
    if (!this.reachable || this.#closed) return;
    this.reachable = false;
    this.changed();
    this.#lookAgain();
  }

  /** A call that took too long does not say that the server is away: another, that is answered at once, does. */
  #lookNow() {
    if (this.#closed) return;
    get('/readyz').catch((error) => {
      // Not ready is an answer too.
      if (error instanceof ApiError && error.code === 0) this.#isAway();
    });
  }

  #lookAgain() {
    this.#looking = window.setTimeout(async () => {
      try {
        await get('/readyz');
      } catch {
        if (!this.#closed) this.#lookAgain();
        return;
      }
      this.#isBack();
    }, lookAgainMs);
  }

  #isBack() {
    if (this.reachable || this.#closed) return;
    clearTimeout(this.#looking);
    this.reachable = true;
    this.returns += 1;
    this.changed();
  }
}

/** @param {string} name */
function kebabCase(name) {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

export const AdminContext = createContext(/** @type {Admin | null} */ (null));

/** Whose powers the view works with. */
export function useAdmin() {
  const admin = useContext(AdminContext);
  if (admin === null) throw new Error('this view is for someone who is signed in');
  return admin;
}
