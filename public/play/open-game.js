import { Observable } from '../shared/observable.js';
import { toast } from '../shared/toasts.js';
import { BlockedPlayers } from './blocked-players.js';
import { Conversations } from './conversations.js';
import { NamedBoards } from './named-boards.js';
import { PlayerSearch } from './player-search.js';
import { PublicStream } from './public-stream.js';
import { mayReloadFor } from './stored-session.js';
import { claimsOf } from './token.js';
import {
  isTokenRequest,
  joinMessage,
  responseTo,
  ruleCallback,
  tokenMessage,
  tokenPending,
} from './window-messages.js';

/** @typedef {{ gameId: string, slug: string, name: string, kind: string, url: string, image: string, tokenIn: 'query' | 'fragment', playing: number }} Game */
/** @typedef {Pick<import('gantry-client').OperationOutput<'listReleases'>['releases'][number], 'gameId' | 'version' | 'required' | 'url'>} Release */

/** The maximum number of request types that the player is notified of per opened game. */
const maxNotices = 5;

/** The open game: its session, its frame, its public stream and its conversations. */
export class OpenGame extends Observable {
  /** @type {import('./session-end.js').SessionEnd | null} why its session ended */
  ending = null;
  /** @type {HTMLIFrameElement | null} where the game runs */
  #frame = null;
  #isLoaded = false;
  /** How often its page was reloaded. */
  reloads = 0;
  /** The latest one that was published while it is open. @type {Release | null} */
  release = null;
  /** Posted once the game has loaded. @type {import('./launcher.js').Join | null} */
  #join = null;
  /** How often a friend was joined. */
  joins = 0;
  /** Request types that the player has been notified of, to notify once per type. @type {Set<string>} */
  #notified = new Set();
  /** @type {() => Promise<string>} */
  #token;
  /** @param {MessageEvent} event */
  #listener = (event) => this.#handleMessage(event);
  /**
   * The page's policy lists the hosts of games that were registered when it was loaded: loads it again for another.
   * @param {SecurityPolicyViolationEvent} event
   */
  #blocked = ({ effectiveDirective, blockedURI }) => {
    const origin = URL.parse(blockedURI)?.origin;
    if (effectiveDirective !== 'frame-src' || !origin || origin !== this.frameUrl?.origin) return;
    if (mayReloadFor(origin)) location.reload();
  };

  /**
   * @param {import('gantry-client').GantryClient} connection
   * @param {import('./player-book.js').PlayerBook} players
   * @param {Game} game
   * @param {string} launcherJwt of the session in the game
   * @param {() => Promise<string>} token returns the session's token; if it has ended, a new session's
   */
  constructor(connection, players, game, launcherJwt, token) {
    super();
    const { address } = claimsOf(launcherJwt);
    this.game = game;
    this.#token = token;
    this.launcherJwt = launcherJwt;
    this.frameUrl = frameUrlOf(game, launcherJwt);
    this.stream = new PublicStream(connection, players, { gameId: game.gameId, wallet: address });
    /** @type {Pick<import('gantry-client').GantryClient, 'call'>} */
    const session = {
      call: (...call) => connection.as(this.launcherJwt).call(...call),
    };
    this.boards = new NamedBoards(connection, players, { gameId: game.gameId, wallet: address });
    this.conversations = new Conversations(session, players, address);
    this.blocked = new BlockedPlayers(connection, session);
    this.search = new PlayerSearch(connection, players, game.gameId);
  }

  get sessionId() {
    return claimsOf(this.launcherJwt).jti;
  }

  /** Loads everything, or brings it up to date after a reconnect. */
  async follow() {
    await Promise.all([
      this.stream.follow(),
      this.boards.load(),
      this.blocked.load().catch(() => {}), // the server omits their messages in any case
      this.conversations.loaded || this.conversations.load(),
    ]);
  }

  /** @param {Release} release */
  released(release) {
    if (release.gameId !== this.game.gameId) return;
    // A required one stays required when a later one is published.
    this.release = { ...release, required: release.required || this.release?.required === true };
    this.changed();
  }

  dismissRelease() {
    this.release = null;
    this.changed();
  }

  /** Loads the game's page again, in a new frame. */
  reload() {
    this.frameUrl = frameUrlOf(this.game, this.launcherJwt);
    this.#isLoaded = false;
    this.release = null;
    this.reloads += 1;
    this.changed();
  }

  /** @param {HTMLIFrameElement} frame where the game runs from now on */
  enterFrame(frame) {
    if (this.#frame === null) {
      addEventListener('message', this.#listener);
      addEventListener('securitypolicyviolation', this.#blocked);
    }
    this.#frame = frame;
  }

  leaveFrame() {
    removeEventListener('message', this.#listener);
    removeEventListener('securitypolicyviolation', this.#blocked);
    this.#frame = null;
    this.#isLoaded = false;
  }

  frameLoaded() {
    this.#isLoaded = true;
    if (this.#join) this.#postToGame(joinMessage(this.#join));
    this.#join = null;
  }

  /**
   * Asks the game to join a friend.
   * @param {import('./launcher.js').Join} join
   */
  join(join) {
    this.joins += 1;
    if (join.connect === '') return; // the game has nothing to join by
    this.#join = join;
    if (this.#isLoaded) this.frameLoaded();
  }

  /**
   * Forwards a rule's message to the game.
   * @param {import('./window-messages.js').WindowMessage} record
   */
  forward(record) {
    this.#postToGame(ruleCallback(record));
  }

  /**
   * Posts a message to the game's page only, not to a page on another origin that the frame has navigated to.
   * @param {unknown} message
   */
  #postToGame(message) {
    if (this.frameUrl === null) return;
    // The sandboxed frame of a game served here has an opaque origin; this page's CSP keeps it on the hosts of games,
    // unless there are too many to list.
    const target = this.#isSameOrigin() ? '*' : this.frameUrl.origin;
    this.#frame?.contentWindow?.postMessage(message, target);
  }

  /**
   * Responds to requests of the game's page only, not of a page on another origin that the frame has navigated to.
   * @param {MessageEvent} event
   */
  #handleMessage({ source, origin, data }) {
    if (this.#frame === null || source !== this.#frame.contentWindow) return;
    if (origin !== (this.#isSameOrigin() ? 'null' : this.frameUrl?.origin)) return;
    if (isTokenRequest(data)) {
      this.#postToGame(tokenPending);
      this.#token().then(
        (launcherJwt) => this.#postToGame(tokenMessage(launcherJwt)),
        () => {}, // the game asks again
      );
      return;
    }
    const request = responseTo(data);
    if (request === null) return;
    this.#postToGame(request.response);
    if (this.#notified.has(request.type) || this.#notified.size >= maxNotices) return;
    this.#notified.add(request.type);
    toast(request.notice, 'info');
  }

  /** Whether this server serves the game, whose frame then has an opaque origin. */
  #isSameOrigin() {
    return this.frameUrl?.origin === location.origin;
  }

  close() {
    this.stream.close();
    this.boards.close();
    this.conversations.close();
  }
}

/**
 * The URL of a game's page, including its token; null when the game has no page.
 * @param {Game} game
 * @param {string} launcherJwt
 */
function frameUrlOf({ url, tokenIn }, launcherJwt) {
  // A relative URL is resolved against this page's location, not against the server's configured public URL.
  const address = url === '' ? null : URL.parse(url, location.href);
  if (address === null) return null;
  // A fragment stays in the browser and does not appear in the logs of the game's host.
  if (tokenIn === 'fragment') address.hash = `token=${launcherJwt}`;
  else address.searchParams.set('token', launcherJwt);
  return address;
}
