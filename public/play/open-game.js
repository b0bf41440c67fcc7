import { toast } from '../shared/toasts.js';
import { BlockedPlayers } from './blocked-players.js';
import { Conversations } from './conversations.js';
import { NamedBoards } from './named-boards.js';
import { PublicStream } from './public-stream.js';
import { claimsOf } from './token.js';
import { answerTo, ruleCallback } from './window-messages.js';

/** @typedef {{ gameId: string, slug: string, name: string, kind: string, url: string, image: string, tokenIn: 'query' | 'fragment' }} Game */

/** Kinds of requests the player is told of, for each game that is opened. */
const mostNotices = 5;

/** The open game: its session, its frame, its public stream and its conversations. */
export class OpenGame {
  /** @type {import('./session-end.js').SessionEnd | null} why its session ended */
  ending = null;
  /** @type {HTMLIFrameElement | null} where the game runs */
  #frame = null;
  /** Requests of the game that the player was told of: once each. @type {Set<string>} */
  #told = new Set();
  /** @param {MessageEvent} event */
  #listener = (event) => this.#hear(event);

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
    const session = connection.as(launcherJwt);
    this.boards = new NamedBoards(connection, players, { gameId: game.gameId, wallet: address });
    this.conversations = new Conversations(session, players, address);
    this.blocked = new BlockedPlayers(session);
  }

  /** Loads everything, or brings it up to date after a reconnect. */
  async follow() {
    await Promise.all([
      this.stream.follow(),
      this.boards.load(),
      this.blocked.load().catch(() => {}), // what they said is not listed in any case
      this.conversations.loaded || this.conversations.load(),
    ]);
  }

  /** @param {HTMLIFrameElement} frame where the game runs from now on */
  enterFrame(frame) {
    if (this.#frame === null) addEventListener('message', this.#listener);
    this.#frame = frame;
  }

  leaveFrame() {
    removeEventListener('message', this.#listener);
    this.#frame = null;
  }

  /**
   * Passes a rule's message on to the game.
   * @param {import('./window-messages.js').WindowMessage} record
   */
  passOn(record) {
    this.#postToGame(ruleCallback(record));
  }

  /**
   * Hands the game's page a message, and no other page: not one that it has since gone to on another origin.
   * @param {unknown} message
   */
  #postToGame(message) {
    if (this.frameUrl === null) return;
    // A sandboxed frame of ours has no origin to name; it cannot leave this server either, by this page's policy.
    const target = this.#isOurs() ? '*' : this.frameUrl.origin;
    this.#frame?.contentWindow?.postMessage(message, target);
  }

  /**
   * Answers what the game's page asks for, and no other page: not one that it has since gone to on another origin.
   * @param {MessageEvent} event
   */
  #hear({ source, origin, data }) {
    if (this.#frame === null || source !== this.#frame.contentWindow) return;
    if (origin !== (this.#isOurs() ? 'null' : this.frameUrl?.origin)) return;
    const request = answerTo(data);
    if (request === null) return;
    this.#postToGame(request.answer);
    if (this.#told.has(request.type) || this.#told.size >= mostNotices) return;
    this.#told.add(request.type);
    toast(request.notice, 'info');
  }

  /** Whether this server serves the game, whose frame then has an opaque origin. */
  #isOurs() {
    return this.frameUrl?.origin === location.origin;
  }

  close() {
    this.stream.close();
    this.boards.close();
    this.conversations.close();
  }
}

/**
 * Where a game is played, with the token it is to read; null for one without a page.
 * @param {Game} game
 * @param {string} launcherJwt
 */
function frameUrlOf({ url, tokenIn }, launcherJwt) {
  // One that this server serves is opened where this page is, whatever name the server has for itself.
  const address = url === '' ? null : URL.parse(url, location.href);
  if (address === null) return null;
  // A fragment stays in the browser: it is in no log of whoever serves the game.
  if (tokenIn === 'fragment') address.hash = `token=${launcherJwt}`;
  else address.searchParams.set('token', launcherJwt);
  return address;
}
