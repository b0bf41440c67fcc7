import { GantryClient, signInAsGuest } from 'gantry-client';
import { defaultName } from 'gantry-names';
import { loadPart } from '../shared/load-part.js';
import { Observable } from '../shared/observable.js';
import { toastError } from '../shared/toasts.js';
import { ConnectionState } from './connection-state.js';
import { GameSessions } from './game-sessions.js';
import { Inbox } from './inbox.js';
import { applyEvents } from './launcher-events.js';
import { Lobby } from './lobby.js';
import { OpenGame } from './open-game.js';
import { PlayerBook } from './player-book.js';
import { PlayerGames } from './player-games.js';
import { readAll } from './read-all.js';
import { gameSessionEnd, openingProblem, sessionEnd } from './session-end.js';
import { connectWallet } from './sign-in.js';
import {
  nameDevice,
  storedDevices,
  storedStatus,
  storeGame,
  storeRenewed,
  storeStatus,
} from './stored-session.js';
import { claimsOf } from './token.js';

/**
 * @typedef {import('./open-game.js').Game} Game
 * @typedef {{ gameId: string, connect: string, from: string }} Join `from`: the friend to join; `connect`: what the game needs for that
 */

const unknownGame = 'There is no such game here; it may have been removed';

/** A player's launcher: one connection, the list of games, and the open one. */
export class Launcher extends Observable {
  #connection;
  #launcherJwt;
  #onEnded;
  #isConnectingWallet = false;
  #sessions;
  /** The game that friends were told of. @type {string | null} */
  #told = null;
  /** Passed on to the game that is being opened. @type {Join | null} */
  #join = null;
  players = new PlayerBook();
  /** Games outside of the list that have been opened. @type {Game[]} */
  #unlisted = [];
  /** The slug of the game that is looked for outside of the list. @type {string | null} */
  #finding = null;
  places;
  /** The place that is shown: of the open game or the library, also while another game is being opened. */
  shown;
  #unfollowPlaces;
  /** The player may have chosen another name on another device, which is not told. */
  #lookedAt = () => {
    if (document.visibilityState === 'visible' && this.connectionState.isConnected) this.#learnName();
  };
  #isSigningOut = false;
  connectionState;
  /** @type {Game[] | null} null until loaded */
  games = null;
  /** @type {Promise<void>} */
  gamesLoaded = Promise.resolve();
  /** @type {unknown} */
  error = null;
  /** @type {OpenGame | null} */
  current = null;
  /** @type {string | null} the id of the game being opened */
  opening = null;
  inbox;
  lobby;
  /** @type {import('./friends/friends.js').Friends | null} null until loaded */
  friends = null;
  /** @type {typeof import('./friends/views.js') | null} */
  friendViews = null;
  /** Why the views could not be loaded. @type {unknown} */
  friendsError = null;
  /** What friends see of the player. @type {import('./stored-session.js').StoredStatus} */
  status;
  /** @type {Promise<void>} */
  #settingStatus = Promise.resolve();
  playerGames;
  /** @type {import('./home/news.js').News | null} null until loaded */
  news = null;
  /** @type {import('./home/maintenance.js').Maintenance | null} null until loaded */
  maintenance = null;
  /** @type {typeof import('./home/views.js') | null} */
  homeViews = null;
  /** Why the views could not be loaded. @type {unknown} */
  homeError = null;
  /** Why the game that was chosen last could not be opened. @type {{ gameId: string, error: import('gantry-client').GantryError } | null} */
  refusal = null;

  /**
   * @param {string} launcherJwt of the launcher's own session
   * @param {import('./places.js').Places} places
   * @param {(ending: import('./session-end.js').SessionEnd) => void} onEnded
   */
  constructor(launcherJwt, places, onEnded) {
    super();
    this.places = places;
    this.shown = shownIn('', places.place);
    this.#launcherJwt = launcherJwt;
    this.#onEnded = onEnded;
    const { address, username, avatar, exp, gameId } = claimsOf(launcherJwt);
    this.wallet = address;
    const status = storedStatus(address);
    this.status = status ?? { status: 'online', text: '' };
    this.players.learn(address, username ?? defaultName(address), avatar);
    const url = location.origin;
    this.#connection = new GantryClient({
      url,
      launcherJwt,
      expiresAt: exp * 1000,
      // A guest of this browser signs in again after a night of sleep.
      renew: async () => {
        const device = storedDevices().find(({ wallet }) => wallet === address);
        return device ? signInAsGuest({ url, gameId, deviceSecret: device.deviceSecret }) : null;
      },
      // Otherwise the one that the player has chosen elsewhere holds.
      status: status ?? undefined,
      store: { load: () => null, save: ({ session }) => session && this.#renewed(session.launcherJwt) },
    });
    this.#sessions = new GameSessions(this.#connection);
    this.connectionState = new ConnectionState(this.#connection);
    this.inbox = new Inbox(this.#connection);
    this.lobby = new Lobby(this.#connection, this.players, { wallet: address, gameId });
    this.playerGames = new PlayerGames(this.#connection);
    for (const source of [this.connectionState, this.inbox, this.lobby, this.playerGames])
      source.onChange(() => this.changed());
    this.#connection.onStatus((status) => this.#statusChanged(status));
    applyEvents(this.#connection, this);
    this.#unfollowPlaces = places.onChange(() => this.#followPlace());
    document.addEventListener('visibilitychange', this.#lookedAt);
  }

  /** Opens the game of the place, or closes the open one. */
  #followPlace() {
    if (this.#isSigningOut) return;
    this.#showPlace();
    const { slug } = this.places.place;
    const game = this.#known((one) => one.slug === slug);
    if (game) this.open(game).catch(toastError);
    else if (slug === '') {
      if (this.current || this.opening !== null) this.closeGame();
    } else if (this.games) {
      this.#findGame(slug);
    }
    this.changed();
  }

  /**
   * Opens a game outside of the list: an unlisted one, which its slug finds, or one that was added since.
   * @param {string} slug
   */
  async #findGame(slug) {
    if (this.#finding === slug) return;
    this.#finding = slug;
    let problem = /** @type {unknown} */ (new Error(unknownGame));
    try {
      const { data } = await this.#connection.call('getGames', { slug, kind: 'game' });
      this.#unlisted.push(...data);
    } catch (error) {
      if (/** @type {import('gantry-client').GantryError} */ (error).reason !== 'input_invalid')
        problem = error;
    }
    if (this.#finding === slug) this.#finding = null;
    if (this.places.place.slug !== slug) return; // it was left meanwhile
    if (this.#known((one) => one.slug === slug)) {
      this.#followPlace();
      return;
    }
    this.notOpening();
    toastError(problem);
    this.places.leave(this.shown);
  }

  /** A game in the list, or one that was found outside of it. @param {(game: Game) => boolean} isIt */
  #known(isIt) {
    return this.games?.find(isIt) ?? this.#unlisted.find(isIt);
  }

  /** While a game is being opened, what is shown stays, unless the player chooses another panel: for the game too. */
  #showPlace() {
    const { place } = this.places;
    const slug = this.current?.game.slug ?? '';
    if (place.slug === slug || place.panel !== '') this.shown = { ...shownIn(slug, place), dialogs: [] };
  }

  /**
   * The game's name; null while the games are loading, and for one that is not listed, unless it has been opened.
   * @param {string} gameId
   */
  nameOf(gameId) {
    const { current } = this;
    if (current?.game.gameId === gameId) return current.game.name;
    return this.#known((game) => game.gameId === gameId)?.name ?? null;
  }

  async loadGames() {
    const loading = this.#fetchGames();
    this.gamesLoaded = loading;
    await loading;
  }

  async #fetchGames() {
    try {
      this.error = null;
      // Shown together, so that nothing moves when the second arrives.
      const [games] = await Promise.all([
        readAll((page) => this.#connection.call('getGames', { kind: 'game', ...page })),
        this.playerGames.load(),
      ]);
      // One that was added meanwhile may have moved others to the next page.
      this.games = [...new Map(games.map((game) => [game.gameId, game])).values()];
      this.playerGames.count(this.games);
      this.playerGames.follow(this.games);
    } catch (error) {
      if (this.games === null) this.error = error;
    }
    // Before anything else is clicked.
    if (this.places.place.slug !== '') this.#followPlace();
    this.changed();
  }

  /**
   * Opens a game as a place, so that reloads and the back button work.
   * @param {Pick<Game, 'slug'>} game
   */
  show({ slug }) {
    this.places.go({ slug });
  }

  /**
   * Opens a session in a game and shows it; an open session is continued.
   * @param {Game} game
   */
  async open(game) {
    if (this.opening === game.gameId) return;
    if (this.current?.game.gameId === game.gameId) {
      this.notOpening(); // back from one that is still being opened
      return;
    }
    this.opening = game.gameId;
    this.refusal = null;
    this.changed();
    try {
      const launcherJwt = await this.#sessions.tokenFor(game.gameId);
      if (this.opening !== game.gameId) {
        this.#endUnused(launcherJwt);
        return;
      }
      const previous = this.current;
      this.#leave();
      if (previous && previous.ending === null) this.#sessions.end(previous.sessionId);
      this.current = new OpenGame(this.#connection, this.players, game, launcherJwt, () => this.#token(game));
      storeGame({ gameId: game.gameId, launcherJwt });
      this.#forwardChanges(this.current);
      if (this.#join?.gameId === game.gameId) this.current.join(this.#join);
      this.#join = null;
      this.#showPlace();
      this.current.follow();
      this.maintenance?.load(game.gameId);
      this.playerGames.opened(game);
      this.#tellGame();
    } catch (error) {
      if (this.opening !== game.gameId) return; // it was left meanwhile
      const refusal = /** @type {import('gantry-client').GantryError} */ (error);
      if (refusal.reason !== 'access_denied') {
        this.places.leave(this.shown);
        throw openingProblem(error, game.name);
      }
      this.refusal = { gameId: game.gameId, error: refusal };
      this.places.go({ ...this.shown, dialogs: [`about=${game.slug}`] }, true);
    } finally {
      if (this.opening === game.gameId) this.notOpening();
      this.changed();
    }
  }

  /** No game is being opened. */
  notOpening() {
    this.opening = null;
    this.changed();
  }

  /** Returns to the library, and ends the session of the open game. */
  closeGame() {
    this.notOpening();
    this.#join = null;
    const previous = this.current;
    this.#leave();
    this.#showPlace();
    storeGame(null);
    if (previous && previous.ending === null) this.#sessions.end(previous.sessionId);
    this.#tellGame();
    this.changed();
  }

  /** Ends the launcher's session, and with it this launcher. */
  async signOut() {
    this.#isSigningOut = true;
    this.places.leave({ dialogs: [] });
    this.closeGame();
    try {
      await this.#connection.call('endChannelSession', {});
    } finally {
      this.#isSigningOut = false;
    }
  }

  /**
   * Connects a wallet to the guest. This ends all of the guest's sessions.
   * @param {import('./sign-in.js').Signer} signer
   * @returns {Promise<string>} the launcher's new `launcherJwt`
   */
  async connectWallet(signer) {
    this.#isConnectingWallet = true;
    try {
      return await connectWallet(this.#launcherJwt, signer);
    } finally {
      this.#isConnectingWallet = false;
    }
  }

  /** The game whose page is open; null: none. */
  get playing() {
    const { current } = this;
    return current && current.frameUrl !== null && current.ending === null ? current.game : null;
  }

  /**
   * Opens a game to join a friend there; one that is open is told at once.
   * @param {Join} join
   */
  async openToJoin(join) {
    const { gameId } = join;
    if (this.current?.game.gameId === gameId) {
      this.current.join(join);
      return;
    }
    const listed = this.#known((game) => game.gameId === gameId);
    const { slug } = listed ?? (await this.#connection.call('getGame', { gameId })).game;
    this.#join = join;
    this.show({ slug });
  }

  /**
   * Changes what friends see of the player, for all of the player's connections: after an earlier change, which it keeps.
   * @param {Partial<import('./stored-session.js').StoredStatus>} changes
   */
  setStatus(changes) {
    const set = this.#settingStatus.then(async () => {
      const status = { ...this.status, ...changes };
      await this.#connection.call('setStatus', status);
      this.#learnStatus(status);
    });
    this.#settingStatus = set.catch(() => undefined);
    return set;
  }

  /** @param {import('./stored-session.js').StoredStatus} status */
  #learnStatus({ status, text }) {
    if (status === this.status.status && text === this.status.text) return;
    this.status = { status, text };
    storeStatus(this.wallet, this.status);
    this.changed();
  }

  /** Shows the player's friends; first loads what shows them. */
  async followFriends() {
    this.friendsError = null;
    try {
      this.friendViews ??= await loadPart(() => import('./friends/views.js'));
      if (this.friends === null) {
        this.friends = new this.friendViews.Friends(this.#connection, this.players, this.wallet, (status) =>
          this.#learnStatus(status),
        );
        this.friends.onChange(() => this.changed());
      }
      this.friends.follow();
      this.friends.loadInvites();
    } catch (error) {
      if (this.friends === null) this.friendsError = error;
    }
    this.changed();
  }

  /** Shows news and maintenance; first loads what shows them. Brings them up to date after a reconnect. */
  async followHome() {
    this.homeError = null;
    try {
      this.homeViews ??= await loadPart(() => import('./home/views.js'));
      if (this.news === null || this.maintenance === null) {
        this.news = new this.homeViews.News(this.#connection);
        this.maintenance = new this.homeViews.Maintenance(this.#connection);
        for (const source of [this.news, this.maintenance]) source.onChange(() => this.changed());
      }
      this.news.load();
      this.maintenance.load(this.current?.game.gameId);
    } catch (error) {
      if (this.homeViews === null) this.homeError = error;
    }
    this.changed();
  }

  /** The game whose dialog is shown; undefined: none, or one that is not listed. @returns {Game | undefined} */
  get about() {
    const slug = this.places.dialog('about');
    const { current } = this;
    if (slug === null) return undefined;
    return current?.game.slug === slug ? current.game : this.#known((game) => game.slug === slug);
  }

  /** Shows the dialog of a game. @param {Game} game */
  showAbout({ slug }) {
    this.refusal = null;
    if (this.homeViews === null) this.followHome();
    this.places.openDialog('about', slug);
  }

  /**
   * What the dialog of a game shows.
   * @param {string} gameId
   * @param {number} releaseCount the most releases
   */
  async readAbout(gameId, releaseCount) {
    const connection = this.#connection;
    const [{ game: page }, { releases }, { events }, { playtime }] = await Promise.all([
      connection.call('getGame', { gameId }),
      connection.call('listReleases', { gameId, limit: releaseCount }),
      connection.call('getEvents', { gameId }),
      connection.call('getPlaytime', { gameIds: [gameId] }),
    ]);
    return { page, releases, events, playtime: playtime[0] };
  }

  /**
   * Calls the listener when an event of the game's calendar starts or ends, and after a reconnect: it may have meanwhile.
   * Returns an unsubscribe function.
   * @param {string} gameId
   * @param {() => void} listener
   */
  onCalendar(gameId, listener) {
    const onEvent = (/** @type {{ gameId: string }} */ event) => event.gameId === gameId && listener();
    const stop = [
      this.#connection.on('events started', onEvent),
      this.#connection.on('events ended', onEvent),
      this.#connection.onStatus(({ state }) => state === 'live' && listener()),
    ];
    return () => {
      for (const one of stop) one();
    };
  }

  /** Tells friends which game is open. */
  #tellGame() {
    const gameId = this.playing?.gameId ?? null;
    if (gameId === this.#told) return;
    this.#told = gameId;
    this.#connection.call('setCurrentGame', { gameId }).then(
      () => this.playerGames.load(),
      () => {}, // the client repeats it on the next connection
    );
  }

  close() {
    this.#unfollowPlaces();
    document.removeEventListener('visibilitychange', this.#lookedAt);
    this.connectionState.close();
    this.#leave();
    this.inbox.close();
    this.lobby.close();
    this.friends?.close();
    this.news?.close();
    this.maintenance?.close();
    this.#connection.close();
  }

  /** @param {import('gantry-client').Status} status */
  #statusChanged(status) {
    if (status.state === 'connecting') {
      this.connectionState.connecting();
      for (const one of [
        this.playerGames,
        this.friends,
        this.lobby.conversations,
        this.current?.conversations,
      ])
        one?.lost();
    } else if (status.state === 'live') {
      this.connectionState.live(status.replayed);
      this.#load();
    } else if (status.state === 'ended' && this.#isConnectingWallet) {
      return; // the page continues with the wallet's session
    } else if (status.state === 'ended') {
      this.#onEnded(sessionEnd(status.endReason));
    } else {
      this.#onEnded(sessionEnd(status.reason, status.message));
    }
    this.changed();
  }

  /** Loads everything, or brings it up to date after a reconnect. */
  #load() {
    if (this.games === null) this.loadGames();
    else {
      this.playerGames.load();
      this.playerGames.follow(this.games); // it ended with the connection
    }
    this.inbox.load();
    this.followFriends();
    this.followHome();
    this.lobby.load();
    this.#learnName();
    this.current?.follow();
    for (const one of [this.lobby.conversations, this.current?.conversations])
      one?.refreshParticipants().catch(() => {});
  }

  /** The token has the name of when it was issued. */
  async #learnName() {
    const { players } = await this.#connection
      .call('getPlayers', { wallets: [this.wallet] })
      .catch(() => ({ players: [] }));
    for (const { wallet, username, avatar } of players) {
      this.players.learn(wallet, username, avatar);
      nameDevice(wallet, username);
    }
    this.changed();
  }

  /**
   * Shows that the open game's session has ended, unless it has another one by now.
   * @param {OpenGame} current
   * @param {string} sessionId
   * @param {string | null} endReason
   */
  gameEnded(current, sessionId, endReason) {
    if (this.current !== current || current.sessionId !== sessionId) return;
    current.ending = gameSessionEnd(endReason, current.game.name);
    storeGame(null);
    this.#tellGame();
    this.changed();
  }

  /** @param {OpenGame} opened */
  #forwardChanges(opened) {
    const { stream, boards, conversations, blocked } = opened;
    for (const source of [opened, stream, boards, conversations, blocked])
      source.onChange(() => this.changed());
  }

  #leave() {
    this.current?.close();
    this.current = null;
  }

  /**
   * Changes the player's display name; an empty name removes it.
   * @param {string} name
   */
  async rename(name) {
    const { username } = await this.#connection.call('setUsername', { username: name });
    const shown = username || defaultName(this.wallet);
    this.players.learn(this.wallet, shown);
    nameDevice(this.wallet, shown);
    this.changed();
  }

  /**
   * The token of the open game's session; of a new session when that one has ended.
   * @param {Game} game
   */
  async #token(game) {
    const launcherJwt = await this.#sessions.tokenFor(game.gameId);
    if (this.current?.game.gameId !== game.gameId) {
      this.#endUnused(launcherJwt);
      throw new Error(`${game.name} was closed`);
    }
    this.current.launcherJwt = launcherJwt;
    storeGame({ gameId: game.gameId, launcherJwt });
    return launcherJwt;
  }

  /**
   * Ends the session of a game that was left before it was open, unless it has been opened again with that session.
   * @param {string} launcherJwt of the session
   */
  #endUnused(launcherJwt) {
    const { jti } = claimsOf(launcherJwt);
    if (this.current?.sessionId !== jti) this.#sessions.end(jti);
  }

  /** @param {string} launcherJwt */
  #renewed(launcherJwt) {
    this.#launcherJwt = launcherJwt;
    storeRenewed(launcherJwt);
  }
}

/**
 * What is shown of a place in a game or the library, also while the place's game is being opened: its conversations are
 * only there.
 * @param {string} slug of the open game; empty: the library
 * @param {import('./places.js').Place} place
 */
function shownIn(slug, place) {
  return { ...place, slug, ...(slug !== place.slug && { channel: '' }) };
}
