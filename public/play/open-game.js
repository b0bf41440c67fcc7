import { Conversations } from './conversations.js';
import { PublicStream } from './public-stream.js';
import { claimsOf } from './token.js';

/** @typedef {{ gameId: string, slug: string, name: string, kind: string, url: string }} Game */

/** A game that is open: its session, where it is played, and what goes on in it. */
export class OpenGame {
  /** @type {import('./endings.js').Ending | null} why it is closed to the player */
  ending = null;
  /** @type {HTMLIFrameElement | null} where the game runs */
  #frame = null;

  /**
   * @param {import('gantry-client').GantryClient} connection
   * @param {import('./player-book.js').PlayerBook} players
   * @param {Game} game
   * @param {string} launcherJwt of the session in the game
   */
  constructor(connection, players, game, launcherJwt) {
    const { jti, address } = claimsOf(launcherJwt);
    this.game = game;
    this.launcherJwt = launcherJwt;
    this.sessionId = jti;
    this.frameUrl = frameUrlOf(game, launcherJwt);
    this.stream = new PublicStream(connection, players, { gameId: game.gameId, wallet: address });
    this.conversations = new Conversations(connection, launcherJwt, players, address);
  }

  /** Loads what is there, or brings it up to date after a reconnect. */
  async follow() {
    await Promise.all([this.stream.follow(), this.conversations.loaded || this.conversations.load()]);
  }

  /** @param {HTMLIFrameElement} frame where the game runs from now on */
  enterFrame(frame) {
    this.#frame = frame;
  }

  leaveFrame() {
    this.#frame = null;
  }

  /**
   * Hands the game's page a message, and no other page: not one that it has since gone to on another origin.
   * @param {unknown} message
   */
  postToGame(message) {
    if (this.frameUrl === null) return;
    // A sandboxed frame of ours has no origin to name; it cannot leave this server either, by this page's policy.
    const target = this.frameUrl.origin === location.origin ? '*' : this.frameUrl.origin;
    this.#frame?.contentWindow?.postMessage(message, target);
  }

  close() {
    this.stream.close();
    this.conversations.close();
  }
}

/**
 * Where a game is played, with the token it is to read; null for one without a page.
 * @param {Game} game
 * @param {string} launcherJwt
 */
function frameUrlOf({ url }, launcherJwt) {
  // One that this server serves is opened where this page is, whatever name the server has for itself.
  const address = url === '' ? null : URL.parse(url, location.href);
  address?.searchParams.set('token', launcherJwt);
  return address;
}
