import { type Api, apiOf, type CallArguments, calling } from './api.ts';
import { CallQueue, type QueuedOutcome } from './call-queue.ts';
import { GantryError } from './client-error.ts';
import { type ClientOptions, type CompleteOptions, defaultOptions } from './client-options.ts';
import { isFinal, refusalOf, refusedFor, type Status } from './client-status.ts';
import { Config } from './config.ts';
import { Connection } from './connection.ts';
import { type Cursor, Cursors } from './cursors.ts';
import { EventReceiver, type Listener } from './event-receiver.ts';
import { Friends } from './friends.ts';
import { callOverHttp } from './http-call.ts';
import { type Leaderboard, Leaderboards } from './leaderboard.ts';
import type {
  OperationInput,
  OperationName,
  OperationOutput,
  QueueableName,
  ReceivedName,
} from './operation-types.ts';
import { socketOnly } from './own-presence.ts';
import type { Player } from './player.ts';
import { mayRepeat, retryDelay } from './retries.ts';
import { isSavedFor, type QueuedCall, type Saved } from './store.ts';
import { StoreWriter } from './store-writer.ts';

/**
 * A launcher's connection to Gantry, for browsers and Node. It reconnects automatically and sends its cursors,
 * so that missed events are replayed; a duplicate event is delivered once, and an event
 * out of order makes it reconnect from its cursor.
 */
export class GantryClient {
  readonly #options: CompleteOptions;
  /** What the store had at the start, to preserve fields that the client does not use. */
  readonly #saved: Saved;
  readonly #events: EventReceiver;
  readonly #writer: StoreWriter;
  readonly #connection: Connection;
  readonly #queueListeners = new Set<(call: QueuedCall, outcome: QueuedOutcome) => void>();
  readonly #queue: CallQueue;
  readonly #leaderboards: Leaderboards;

  constructor(options: ClientOptions) {
    this.#options = { ...defaultOptions, ...options };
    this.#saved = options.store?.load() ?? {};
    this.#writer = new StoreWriter(options.store, () => this.#state());
    this.#events = new EventReceiver(
      new Cursors(options.cursors ?? this.#saved.cursors, this.#saved.notifications),
      () => this.#writer.saveSoon(),
    );
    this.#connection = new Connection(this.#options, this.#events, this.#writer);
    this.#leaderboards = new Leaderboards(this);
    this.config = new Config(this, options.label, (ms) => this.#connection.pause(ms));
    this.#queue = new CallQueue(
      {
        call: (operation, data) => this.#callOnce(operation as OperationName, data),
        connected: () => this.#connected(),
        pause: (ms) => this.#connection.pause(ms),
        save: () => this.#writer.save(),
        settled: (call, outcome) =>
          this.#connection.pass(() => {
            for (const listener of this.#queueListeners) listener(call, outcome);
          }),
      },
      this.#saved.queue,
    );
    this.#connection.connect();
    this.#queue.send();
  }

  get status(): Status {
    return this.#connection.status;
  }

  /** The player; null without one, or for a client that was created with a token only. */
  get player(): Player | null {
    return this.#connection.session.player;
  }

  /** The position in every stream; save it to continue from there after a restart of the client. */
  get cursors(): Record<string, Cursor> {
    return this.#events.cursors.toJSON();
  }

  /** Subscribes to a game's public stream: its activities, and `leaderboards patched`. @throws GantryError */
  async subscribe(gameId?: string): Promise<OperationOutput<'subscribe'>> {
    const answer = await this.#connection.call('subscribe', gameId === undefined ? {} : { gameId });
    this.#events.cursors.begin(answer.stream, answer);
    return answer;
  }

  /** @throws GantryError */
  async unsubscribe(gameId?: string): Promise<void> {
    const { stream } = await this.#connection.call('unsubscribe', gameId === undefined ? {} : { gameId });
    this.#events.cursors.forget(stream); // with a cursor, the next connection would subscribe again
  }

  /** Calls an operation. @throws GantryError */
  call<Name extends OperationName>(
    name: Name,
    ...[input, options]: CallArguments<Name>
  ): Promise<OperationOutput<Name>> {
    return this.#call(name, { ...input, ...options });
  }

  /** Every operation as a method: `client.api.getGames()` is `client.call('getGames')`. */
  readonly api: Api = apiOf((name, ...args) => this.call(name, ...args));

  /** Calls with another token over the same connection, as a launcher does for a game's session. */
  as(launcherJwt: string): Pick<GantryClient, 'call' | 'api'> {
    return calling((name, ...[input, options]) => this.#call(name, { ...input, ...options, launcherJwt }));
  }

  /** Calls for a player, as a game's server with its `gameSecret`. */
  forPlayer(wallet: string): Pick<GantryClient, 'call' | 'api'> {
    return calling((name, ...[input, options]) => this.#call(name, { wallet, ...input, ...options }));
  }

  /**
   * Queues a call, which is sent when there is a connection and retried until the server answers, with a `store` even
   * across restarts of the game. Queued calls are executed once and in order. @throws GantryError when the server
   * refuses it
   */
  queue<Name extends QueueableName>(name: Name, input: OperationInput<Name>): Promise<OperationOutput<Name>> {
    return this.#queue.add(name, input) as Promise<OperationOutput<Name>>;
  }

  /** The queued calls that have not been answered. */
  get queued(): readonly QueuedCall[] {
    return this.#queue.calls;
  }

  /** Calls the listener for each completed queued call, including those queued before a restart of the game. */
  onQueued(listener: (call: QueuedCall, outcome: QueuedOutcome) => void): () => void {
    this.#queueListeners.add(listener);
    return () => this.#queueListeners.delete(listener);
  }

  /** A leaderboard of the player's game, by default the one without a name. */
  leaderboard(name = 'default'): Leaderboard {
    return this.#leaderboards.get(name);
  }

  /** The game's config. */
  readonly config: Config;

  /** The player's friends, with their presence. */
  readonly friends: Friends = new Friends(this);

  /**
   * Calls the listener for each event of this name, once and in order within its stream. Returns a function that
   * unsubscribes. @throws GantryError `event_unknown`
   */
  on<Name extends ReceivedName>(name: Name, listener: Listener<Name>): () => void {
    return this.#events.on(name, listener);
  }

  /**
   * Calls the listener with each stream whose history is not available (at the first connection, or after too long an
   * absence): reload the stream's data; later events follow without a gap. The stream's cursor is saved once the
   * promise that the listener returns has resolved.
   */
  onResync(listener: (stream: string) => unknown): () => void {
    return this.#events.onResync(listener);
  }

  onStatus(listener: (status: Status) => void): () => void {
    return this.#connection.onStatus(listener);
  }

  /**
   * Resolves when the connection is live. @throws GantryError when the server refuses it; `connection_lost` when there
   * is no connection after `timeoutMs`: the client continues to try
   */
  ready(): Promise<void> {
    return this.#connection.ready();
  }

  /** Closes the connection permanently. Calls in flight are rejected; queued ones stay in the store. */
  close(): void {
    this.#connection.close();
  }

  /**
   * Holds back events until the returned function is called, so that none is missed by listeners that are added after
   * the connection is live.
   */
  hold(): () => void {
    return this.#connection.hold();
  }

  #state(): Saved {
    const { player, launcherJwt, expiresAt } = this.#connection.session;
    const stored = this.#options.store?.load() ?? {};
    const isOfPlayer = player ? isSavedFor(stored, player) : stored.wallet === undefined;
    return {
      ...this.#saved,
      ...(player && { wallet: player.wallet, userId: player.userId }),
      ...(launcherJwt && expiresAt && { session: { launcherJwt, expiresAt } }),
      cursors: this.#events.loadedCursors(),
      notifications: this.#events.cursors.notifications,
      queue: this.#queue.toSave(isOfPlayer ? (stored.queue ?? []) : []),
    };
  }

  async #call<Name extends OperationName>(
    name: Name,
    data: Readonly<Record<string, unknown>>,
  ): Promise<OperationOutput<Name>> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#callOnce(name, data);
      } catch (error) {
        if (!(error instanceof GantryError)) throw error;
        const isLast = attempt >= this.#options.retries || this.#connection.isClosed;
        const delayMs = isLast ? null : retryDelay(error, attempt, mayRepeat(name, data));
        if (delayMs === null || delayMs > this.#options.maxRetryDelayMs) throw error;
        await this.#connection.pause(delayMs);
      }
    }
  }

  async #callOnce<Name extends OperationName>(name: Name, data: object): Promise<OperationOutput<Name>> {
    this.#connection.requireOpen();
    const isOwn = !('launcherJwt' in data);
    const sendOnce = () => this.#send(name, data);
    const send = isOwn ? () => this.#connection.ownPresence.remember(name, data, sendOnce) : sendOnce;
    const answer = await send().catch(async (error) => {
      if (isOwn && error instanceof GantryError && error.update) this.#connection.refuse(error);
      const isExpired = error instanceof GantryError && error.reason === 'token_expired';
      if (!isExpired || !isOwn || !this.#connection.session.canSignIn) throw error;
      const isSignedIn = await this.#connection.signInAgain((refusal = error) => refusedFor(refusal));
      if (!isSignedIn) throw error;
      return send();
    });
    // Its answer does not have the name that others see when the player has none.
    if (name === 'setUsername' && isOwn) await this.#connection.session.readPlayer().catch(() => undefined);
    return answer;
  }

  async #send<Name extends OperationName>(
    name: Name,
    data: { wallet?: string },
  ): Promise<OperationOutput<Name>> {
    const { callOver, gameSecret, timeoutMs, routeByPlayer } = this.#options;
    if (callOver === 'socket' || socketOnly.includes(name)) return this.#connection.call(name, data);
    const { launcherJwt, player } = this.#connection.session;
    // With a secret, the wallet is the player called for.
    const wallet = (gameSecret !== undefined && data.wallet) || player?.wallet;
    const answer = await callOverHttp(
      this.#options,
      name,
      { launcherJwt, ...data },
      { gameSecret, timeoutMs, player: routeByPlayer ? wallet : undefined },
    );
    return answer as OperationOutput<Name>;
  }

  /** Resolves when queued calls can be sent. @throws GantryError when they never can */
  async #connected(): Promise<void> {
    if (this.#options.callOver === 'socket') return this.#connection.settled();
    this.#connection.requireOpen();
    if (isFinal(this.#connection.status)) throw refusalOf(this.#connection.status);
  }
}
