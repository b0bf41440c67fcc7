import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { ApiError, get, post } from '../shared/api.js';
import { Observable } from '../shared/observable.js';

/** @typedef {import('../../src/server/declarations/operation-types.ts').OperationName} OperationName */
/**
 * @template {OperationName} Name
 * @typedef {import('../../src/server/declarations/operation-types.ts').OperationInput<Name>} Input
 */
/**
 * @template {OperationName} Name
 * @typedef {import('../../src/server/declarations/operation-types.ts').OperationOutput<Name>} Output
 */

/** @typedef {Output<'whoAmI'>} Identity */

/** How often an unreachable server is polled, in milliseconds. */
const reconnectPollMs = 2_000;
/** How often the identity is refreshed while the page is visible: the role may change, or the token may be revoked. */
const identityPollMs = 10_000;

/** Whether a call was refused because the token is no longer valid. @param {unknown} error */
export const isTokenRefused = (error) =>
  error instanceof ApiError && ['admin_token_invalid', 'admin_token_expired'].includes(error.reason);

/**
 * The admin operations, called with the admin token. Changes when the server becomes unreachable or reachable
 * again; `reconnects` counts the latter, so that views reload what may have changed in the meantime.
 */
export class Admin extends Observable {
  #token;
  #on;
  #pollTimer = 0;
  #identityTimer = 0;
  #closed = false;
  /** Whether the server has accepted the token. */
  #isAccepted = false;
  /** Why the token is no longer valid; calls are refused with it until someone signs in again; null: it is. @type {unknown} */
  refusal = null;
  reachable = true;
  reconnects = 0;
  /** Who is signed in, with the operations the role may call; null until known. @type {Identity | null} */
  identity;
  /** Why the identity could not be loaded. @type {unknown} */
  identityError = null;

  /**
   * @param {string} token
   * @param {{
   *   identity?: Identity | null,
   *   onIdentity?: (identity: Identity) => void,
   *   onReplaced?: (token: string) => void,
   *   onRefused: (wasAccepted: boolean) => void,
   * }} options `identity`: the last known one, which is refreshed; `onReplaced`: the administrator's token was
   *   replaced; `onRefused`: the token is no longer valid. Without `onIdentity` the identity is not loaded
   */
  constructor(token, { identity = null, onIdentity, onReplaced, onRefused }) {
    super();
    this.#token = token;
    this.identity = identity;
    this.#on = { onIdentity, onReplaced, onRefused };
    if (onIdentity) this.refreshIdentity();
  }

  /** Whether the administrator's role may call an operation. @param {OperationName} name */
  may(name) {
    return this.identity?.operations.includes(name) ?? false;
  }

  /** Refreshes the identity now, and then periodically. */
  async refreshIdentity() {
    clearTimeout(this.#identityTimer);
    try {
      const identity = await this.call('whoAmI', {});
      if (this.#closed) return;
      this.#isAccepted = true;
      const isChanged = JSON.stringify(identity) !== JSON.stringify(this.identity);
      this.identity = identity;
      this.identityError = null;
      this.#on.onIdentity?.(identity);
      if (isChanged) this.changed();
    } catch (error) {
      this.identityError = error;
      this.changed();
    }
    if (!this.#closed) this.#identityTimer = window.setTimeout(() => this.#refreshVisible(), identityPollMs);
  }

  /** The signed-in administrator's token was replaced by this one. @param {string} token */
  adopt(token) {
    this.#token = token;
    this.#on.onReplaced?.(token);
    if (this.refusal !== null) this.resume(token);
  }

  /** Continues with the token of someone who has signed in again. @param {string} token */
  resume(token) {
    this.#token = token;
    this.refusal = null;
    this.reconnects += 1;
    this.changed();
    this.refreshIdentity();
  }

  #refreshVisible() {
    if (document.visibilityState === 'visible' && this.reachable) this.refreshIdentity();
    else this.#identityTimer = window.setTimeout(() => this.#refreshVisible(), identityPollMs);
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
    if (this.refusal !== null) throw this.refusal;
    const headers = { Authorization: `Bearer ${this.#token}` };
    try {
      return await this.#track(post(`/admin/${kebabCase(name)}`, input, { ...options, headers }));
    } catch (error) {
      const reason = error instanceof ApiError ? error.reason : '';
      if (isTokenRefused(error) && headers.Authorization === `Bearer ${this.#token}`) this.#refuse(error);
      if (reason === 'role_insufficient' && !this.#closed) this.refreshIdentity();
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

  /** @param {unknown} refusal */
  #refuse(refusal) {
    if (this.#closed || this.refusal !== null) return;
    this.refusal = refusal;
    this.#on.onRefused(this.#isAccepted);
    this.changed();
  }

  /** Stops polling. Pending responses still reach their callers, and change nothing else. */
  close() {
    this.#closed = true;
    clearTimeout(this.#pollTimer);
    clearTimeout(this.#identityTimer);
  }

  /**
   * Updates `reachable` by the outcome of a request.
   * @template Result
   * @param {Promise<Result>} request
   */
  async #track(request) {
    try {
      const result = await request;
      this.#setOnline();
      return result;
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

  /** A timed-out call does not mean that the server is unreachable; a fast call shows whether it is. */
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
    if (this.#on.onIdentity) this.refreshIdentity();
  }
}

/** @param {string} name */
function kebabCase(name) {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

export const AdminContext = createContext(/** @type {Admin | null} */ (null));

/** The client of the signed-in administrator. */
export function useAdmin() {
  const admin = useContext(AdminContext);
  if (admin === null) throw new Error('this view requires a signed-in administrator');
  return admin;
}
