const key = 'gantry-console-token';
const identityKey = 'gantry-console-identity';

/** How long a new tab waits for a response from other tabs before it shows the sign-in form, in milliseconds. */
const responseTimeoutMs = 250;

/** @typedef {import('./admin.js').Identity} Identity */
/** @typedef {{ kind: 'ask' } | { kind: 'token', token: string } | { kind: 'signed-in' } | { kind: 'replaced', before: string | null, token: string } | { kind: 'signed-out', token: string }} Message */

/**
 * The admin token of this tab, shared with the console's other tabs on request. It is stored per tab, for as long as
 * the tab is open: not in `localStorage`, which would persist it on disk, and not in a cookie, which the browser would
 * also attach to requests of other pages and to other ports of the host.
 */
export class SharedSignIn {
  #channel = new BroadcastChannel('gantry-console');
  /** Tokens that the server has rejected; other tabs may still offer one of them. @type {Set<string>} */
  #refused = new Set();
  #onToken;
  #onSignedOut;

  /**
   * @param {{ onToken: (token: string) => void, onSignedOut: () => void }} listeners called when another tab shares its
   *   token, or one that replaces it, with this one, and when it signs out of all tabs
   */
  constructor({ onToken, onSignedOut }) {
    this.#onToken = onToken;
    this.#onSignedOut = onSignedOut;
    this.#channel.onmessage = ({ data }) => this.#handleMessage(data);
  }

  /** The token of this tab, which survives a reload. */
  token() {
    return read(key);
  }

  /** The last known identity of the token; the server is authoritative. @returns {Identity | null} */
  identity() {
    try {
      return JSON.parse(read(identityKey) ?? 'null');
    } catch {
      return null;
    }
  }

  /** @param {Identity} identity */
  keepIdentity(identity) {
    // A response may arrive after the tab was signed out.
    if (this.token() !== null) write(identityKey, JSON.stringify(identity));
  }

  /** @param {string} token */
  keep(token) {
    write(key, token);
    this.#send({ kind: 'signed-in' });
  }

  /** The token of this tab, and of the others that have the same, was replaced by this one. @param {string} token */
  replace(token) {
    this.#send({ kind: 'replaced', before: this.token(), token });
    write(key, token);
  }

  /** Requests the token from other tabs; resolves after they had time to respond. */
  ask() {
    this.#send({ kind: 'ask' });
    return new Promise((resolve) => setTimeout(resolve, responseTimeoutMs));
  }

  /** Signs this tab and all others out. */
  signOut() {
    const token = this.token();
    this.#forget();
    if (token !== null) this.#send({ kind: 'signed-out', token });
  }

  /** Drops the token, which is no longer valid; another tab may have a newer one. */
  refuse() {
    const token = this.token();
    if (token !== null) this.#refused.add(token);
    this.#forget();
    this.#send({ kind: 'ask' });
  }

  #forget() {
    write(key, null);
    write(identityKey, null);
  }

  /** @param {Message} message */
  #send(message) {
    this.#channel.postMessage(message);
  }

  /** @param {Message} message */
  #handleMessage(message) {
    const token = this.token();
    if (message.kind === 'ask' && token !== null) this.#send({ kind: 'token', token });
    if (message.kind === 'signed-in' && token === null) this.#send({ kind: 'ask' });
    const isOffered = message.kind === 'token' && token === null && !this.#refused.has(message.token);
    if (isOffered || (message.kind === 'replaced' && token !== null && message.before === token)) {
      write(key, message.token);
      this.#onToken(message.token);
    }
    if (message.kind === 'signed-out' && message.token === token) {
      this.#forget();
      this.#onSignedOut();
    }
  }
}

/** @param {string} name */
function read(name) {
  try {
    return sessionStorage.getItem(name);
  } catch {
    return null; // no access to storage: the user signs in again after a reload
  }
}

/** @param {string} name @param {string | null} value */
function write(name, value) {
  try {
    if (value === null) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, value);
  } catch {
    // No access to storage: it lasts until the page is left.
  }
}
