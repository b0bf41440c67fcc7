const key = 'gantry-console-token';
const identityKey = 'gantry-console-identity';

/** How long a new tab waits for another one to answer before it asks for the token, in milliseconds. */
const answerWithinMs = 250;

/** @typedef {import('./admin.js').Identity} Identity */
/** @typedef {{ kind: 'ask' } | { kind: 'token', token: string } | { kind: 'signed-in' } | { kind: 'signed-out', token: string }} Message */

/**
 * The admin token of this tab, which the console's other tabs are given when they ask for it. It is kept by tabs only, for as
 * long as they are open: not in `localStorage`, which would keep it on the disk, and not in a cookie, which the browser would
 * send by itself, with calls that other pages make and to other ports of the host too.
 */
export class SharedSignIn {
  #channel = new BroadcastChannel('gantry-console');
  /** Tokens that the server has refused: another tab may still have one of them. @type {Set<string>} */
  #refused = new Set();
  #onToken;
  #onSignedOut;

  /**
   * @param {{ onToken: (token: string) => void, onSignedOut: () => void }} listeners called when another tab gives its token
   *   to this one, and when it signs out of all tabs
   */
  constructor({ onToken, onSignedOut }) {
    this.#onToken = onToken;
    this.#onSignedOut = onSignedOut;
    this.#channel.onmessage = ({ data }) => this.#hear(data);
  }

  /** The token of this tab, which survives a reload. */
  token() {
    return read(key);
  }

  /** Who it was of when last asked: what the server says counts. @returns {Identity | null} */
  identity() {
    try {
      return JSON.parse(read(identityKey) ?? 'null');
    } catch {
      return null;
    }
  }

  /** @param {Identity} identity */
  keepIdentity(identity) {
    // An answer may come after the tab was signed out.
    if (this.token() !== null) write(identityKey, JSON.stringify(identity));
  }

  /** @param {string} token */
  keep(token) {
    write(key, token);
    this.#send({ kind: 'signed-in' });
  }

  /** Asks the other tabs for their token; resolves when one may have answered. */
  ask() {
    this.#send({ kind: 'ask' });
    return new Promise((resolve) => setTimeout(resolve, answerWithinMs));
  }

  /** Signs this tab and all others out. */
  signOut() {
    const token = this.token();
    this.#forget();
    if (token !== null) this.#send({ kind: 'signed-out', token });
  }

  /** The token does not work any more; another tab may have a newer one. */
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
  #hear(message) {
    const token = this.token();
    if (message.kind === 'ask' && token !== null) this.#send({ kind: 'token', token });
    if (message.kind === 'signed-in' && token === null) this.#send({ kind: 'ask' });
    if (message.kind === 'token' && token === null && !this.#refused.has(message.token)) {
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
    // It then lasts until the page is left.
  }
}
