import { io, type Socket } from 'socket.io-client';
import { type Api, apiOf, type CallArguments, calling } from './api.ts';
import { CallQueue, type QueuedOutcome } from './call-queue.ts';
import { clientError, connectionLost, type ErrorBody, GantryError } from './client-error.ts';
import { type ClientOptions, type CompleteOptions, defaultOptions } from './client-options.ts';
import { isFinal, refusalOf, refusedFor, type Status, unreachable } from './client-status.ts';
import { type Cursor, Cursors, type Meta } from './cursors.ts';
import { EventReceiver, type FirstEvent, type Listener, missed } from './event-receiver.ts';
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
import { OwnPresence, socketOnly } from './own-presence.ts';
import type { Player } from './player.ts';
import { mayRepeat, reconnectDelay, retryDelay } from './retries.ts';
import { Session } from './session.ts';
import type { QueuedCall, Saved } from './store.ts';
import { StoreWriter } from './store-writer.ts';

/** Whether a token is refused because it has expired, and not because its session was ended for a reason. */
function isExpiry({ data: { reason, endReason = 'expired' } = {} }: ErrorBody): boolean {
  return reason === 'token_expired' || (reason === 'session_ended' && endReason === 'expired');
}

/** The part of `game-channels patched` that is about the end of a session. */
interface EndingRecord {
  _id?: string;
  exists?: boolean;
  endReason?: string | null;
}

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
  readonly #socket: Socket;
  readonly #statusListeners = new Set<(status: Status) => void>();
  readonly #queueListeners = new Set<(call: QueuedCall, outcome: QueuedOutcome) => void>();
  readonly #queue: CallQueue;
  readonly #session: Session;
  readonly #leaderboards: Leaderboards;
  readonly #ownPresence: OwnPresence;
  readonly #wakers = new Set<() => void>();
  #isClosed = false;
  /** Events that arrive before the program has added its listeners; null: they are passed on immediately. */
  #held: (() => void)[] | null = null;
  /** The channel session of the connection, and why it ended. */
  #sessionId: string | undefined;
  #endReason: string | null = null;
  #signingIn: Promise<boolean> | undefined;
  #status: Status = { state: 'connecting' };
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ClientOptions) {
    this.#options = { ...defaultOptions, ...options };
    this.#saved = options.store?.load() ?? {};
    this.#writer = new StoreWriter(options.store, () => this.#state());
    this.#events = new EventReceiver(
      new Cursors(options.cursors ?? this.#saved.cursors, this.#saved.notifications),
      () => this.#writer.saveSoon(),
    );
    this.#session = new Session(
      this.#options,
      (ms) => this.#pause(ms),
      () => this.#writer.save(),
    );
    this.#leaderboards = new Leaderboards(this);
    this.#ownPresence = new OwnPresence(options.status);
    this.#queue = new CallQueue(
      {
        call: (operation, data) => this.#callOnce(operation as OperationName, data),
        connected: () => this.#connected(),
        pause: (ms) => this.#pause(ms),
        save: () => this.#writer.save(),
        settled: (call, outcome) => {
          for (const listener of this.#queueListeners) listener(call, outcome);
        },
      },
      this.#saved.queue,
    );
    this.#socket = io(options.url, {
      transports: ['websocket', 'polling'],
      autoConnect: false,
      forceNew: true,
      reconnectionDelay: 250,
      reconnectionDelayMax: 5_000,
      // Evaluated at every attempt, so that each reconnect continues after the latest event.
      auth: (send) =>
        send({
          launcherJwt: this.#session.launcherJwt,
          gameSecret: options.gameSecret,
          status: this.#ownPresence.status,
          ...this.#events.cursors.toSend(),
        }),
    });
    this.#socket.on('realtime-events connected', (first: FirstEvent) => this.#begin(first));
    this.#socket.onAny((name: string, record: { _id?: string }, meta?: Meta) =>
      this.#receive(name, record, meta),
    );
    this.#socket.on('connect', () => {
      if (options.launcherJwt === undefined) this.#setStatus({ state: 'live', replayed: 0 });
    });
    this.#socket.on('disconnect', (reason) => {
      if (reason === 'io server disconnect') this.#ended();
      else this.#setStatus({ state: 'connecting' });
    });
    this.#socket.on('connect_error', (error: Error & { data?: ErrorBody }) => this.#refused(error.data));
    this.#socket.connect();
    this.#queue.send();
  }

  get status(): Status {
    return this.#status;
  }

  /** The player; null without one, or for a client that was created with a token only. */
  get player(): Player | null {
    return this.#session.player;
  }

  /** The position in every stream; save it to continue from there after a restart of the client. */
  get cursors(): Record<string, Cursor> {
    return this.#events.cursors.toJSON();
  }

  /** Subscribes to a game's public stream: its activities, and `leaderboards patched`. @throws GantryError */
  async subscribe(gameId?: string): Promise<OperationOutput<'subscribe'>> {
    const answer = await this.#callOverSocket('subscribe', gameId === undefined ? {} : { gameId });
    this.#events.cursors.begin(answer.stream, answer);
    return answer;
  }

  /** @throws GantryError */
  async unsubscribe(gameId?: string): Promise<void> {
    const { stream } = await this.#callOverSocket('unsubscribe', gameId === undefined ? {} : { gameId });
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
    this.#statusListeners.add(listener);
    return () => this.#statusListeners.delete(listener);
  }

  /**
   * Resolves when the connection is live. @throws GantryError when the server refuses it; `connection_lost` when there
   * is no connection after `timeoutMs`: the client continues to try
   */
  async ready(): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const timedOut = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(unreachable(this.#options)), this.#options.timeoutMs);
    });
    try {
      await Promise.race([this.#settled(), timedOut]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Closes the connection permanently. Calls in flight are rejected; queued ones stay in the store. */
  close(): void {
    if (this.#isClosed) return;
    clearTimeout(this.#retry);
    this.#isClosed = true;
    this.#session.close();
    this.#socket.disconnect();
    for (const wake of this.#wakers) wake();
    this.#writer.close();
  }

  /** Resolves when the connection is live, however long that takes. @throws GantryError when the server refuses it */
  async #settled(): Promise<void> {
    const settled = (status: Status) => status.state !== 'connecting';
    const status = settled(this.#status)
      ? this.#status
      : await new Promise<Status>((resolve) => {
          const stop = this.onStatus((now) => settled(now) && done());
          const done = () => {
            stop();
            this.#wakers.delete(done);
            resolve(this.#status);
          };
          if (this.#isClosed) done();
          else this.#wakers.add(done);
        });
    await this.#open();
    if (status.state !== 'live') throw refusalOf(status);
  }

  /**
   * Holds back events until the returned function is called, so that none is missed by listeners that are added after
   * the connection is live.
   */
  hold(): () => void {
    this.#held ??= [];
    return () => {
      const held = this.#held ?? [];
      this.#held = null;
      for (const pass of held) pass();
    };
  }

  #begin(first: FirstEvent): void {
    this.#sessionId = first.sessionId;
    this.#endReason = null;
    this.#session.confirm();
    this.#pass(() => this.#events.begin(first));
    for (const [name, input] of this.#ownPresence.toRepeat) {
      this.#callOverSocket(name, input).catch(() => undefined); // lost with this connection, or refused by now
    }
    this.#setStatus({ state: 'live', replayed: missed(first) });
    this.#writer.saveSoon();
  }

  #state(): Saved {
    const { player, launcherJwt, expiresAt } = this.#session;
    return {
      ...this.#saved,
      ...(player && { wallet: player.wallet }),
      ...(launcherJwt && expiresAt && { session: { launcherJwt, expiresAt } }),
      cursors: this.#events.loadedCursors(),
      notifications: this.#events.cursors.notifications,
      queue: this.#queue.calls.map((call) => ({ ...call })),
    };
  }

  #receive(name: string, record: EndingRecord, meta: Meta | undefined): void {
    if (!meta?.stream) return;
    if (name === 'game-channels patched' && record._id === this.#sessionId && record.exists === false) {
      this.#endReason = record.endReason ?? null;
    }
    this.#pass(() => {
      const isInOrder = this.#writer.hold(() => this.#events.receive(name, record, meta));
      if (!isInOrder) this.#socket.disconnect().connect();
    });
  }

  #pass(event: () => void): void {
    if (this.#held) this.#held.push(event);
    else event();
  }

  #ended(): void {
    const ended: Status = { state: 'ended', endReason: this.#endReason };
    if (this.#endReason === 'expired') void this.#signInAgain(() => ended);
    else this.#setStatus(ended);
  }

  /**
   * With a body, the server refused the connection: because of the token, where a retry is useless, or because of its
   * own state, which is temporary. Without one, the network failed, and socket.io-client retries automatically.
   */
  #refused(body: ErrorBody | undefined): void {
    if (!body) return;
    const { code = 0, data: { reason = 'unknown' } = {} } = body;
    if (reason === 'cursors_invalid' && Object.keys(this.cursors).length > 0) {
      this.#events.cursors.clear(); // the listeners of onResync reload the data
      this.#retry = setTimeout(() => this.#socket.connect());
    } else if (code === 429 || code >= 500) {
      this.#retry = setTimeout(() => this.#socket.connect(), reconnectDelay(code, body));
    } else if (isExpiry(body)) {
      void this.#signInAgain((refusal) => refusedFor(refusal ?? new GantryError(body)));
    } else if (this.#ownPresence.reduce(reason)) {
      this.#retry = setTimeout(() => this.#socket.connect());
    } else this.#setStatus(refusedFor(new GantryError(body)));
  }

  /**
   * Signs in again and connects, once for all that ask meanwhile. `otherwise`: the status if that is not possible, or
   * if the server refuses it.
   */
  #signInAgain(otherwise: (refusal?: GantryError) => Status): Promise<boolean> {
    this.#signingIn ??= this.#trySignIn(otherwise).finally(() => {
      this.#signingIn = undefined;
    });
    return this.#signingIn;
  }

  async #trySignIn(otherwise: (refusal?: GantryError) => Status): Promise<boolean> {
    let refusal: GantryError | undefined;
    if (this.#session.canSignIn) {
      this.#socket.disconnect();
      this.#setStatus({ state: 'connecting' });
    }
    const isSignedIn = await this.#session.signIn().catch((error) => {
      refusal = error;
      return false;
    });
    if (this.#isClosed) return false;
    if (isSignedIn) this.#socket.connect();
    else this.#setStatus(otherwise(refusal));
    return isSignedIn;
  }

  #setStatus(status: Status): void {
    if (status.state === 'connecting' && this.#status.state === 'connecting') return;
    this.#status = status;
    for (const listener of this.#statusListeners) listener(status);
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
        const isLast = attempt >= this.#options.retries || this.#isClosed;
        const delayMs = isLast ? null : retryDelay(error, attempt, mayRepeat(name, data));
        if (delayMs === null || delayMs > this.#options.maxRetryDelayMs) throw error;
        await this.#pause(delayMs);
      }
    }
  }

  async #callOnce<Name extends OperationName>(name: Name, data: object): Promise<OperationOutput<Name>> {
    await this.#open();
    const isOwn = !('launcherJwt' in data);
    const sendOnce = () => this.#send(name, data);
    const send = isOwn ? () => this.#ownPresence.remember(name, data, sendOnce) : sendOnce;
    const answer = await send().catch(async (error) => {
      const isExpired = error instanceof GantryError && error.reason === 'token_expired';
      if (!isExpired || !isOwn || !this.#session.canSignIn) throw error;
      const isSignedIn = await this.#signInAgain((refusal = error) => refusedFor(refusal));
      if (!isSignedIn) throw error;
      return send();
    });
    // Its answer does not have the name that others see when the player has none.
    if (name === 'setUsername' && isOwn) await this.#session.readPlayer().catch(() => undefined);
    return answer;
  }

  async #send<Name extends OperationName>(name: Name, data: object): Promise<OperationOutput<Name>> {
    const { callOver, url, gameSecret, timeoutMs } = this.#options;
    if (callOver === 'socket' || socketOnly.includes(name)) return this.#callOverSocket(name, data);
    const { launcherJwt } = this.#session;
    const answer = await callOverHttp(url, name, { launcherJwt, ...data }, { gameSecret, timeoutMs });
    return answer as OperationOutput<Name>;
  }

  /** Resolves when queued calls can be sent. @throws GantryError when they never can */
  async #connected(): Promise<void> {
    if (this.#options.callOver === 'socket') return this.#settled();
    await this.#open();
    if (isFinal(this.#status)) throw refusalOf(this.#status);
  }

  /** @throws GantryError once the client is closed */
  async #open(): Promise<void> {
    if (this.#isClosed) throw clientError('client_closed', 'The client was closed');
  }

  /** Resolves after a delay, or when the client is closed. */
  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#wakers.delete(done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      if (this.#isClosed) done();
      else this.#wakers.add(done);
    });
  }

  #callOverSocket<Name extends OperationName>(name: Name, data: object): Promise<OperationOutput<Name>> {
    if (isFinal(this.#status)) {
      return Promise.reject(refusalOf(this.#status)); // it will not connect again
    }
    return new Promise((resolve, reject) => {
      const lost = () => reject(connectionLost());
      this.#socket.once('disconnect', lost);
      // A call that times out before it was sent is not sent later.
      this.#socket
        .timeout(this.#options.timeoutMs)
        .emit(
          name,
          'launcher',
          data,
          {},
          (timeout: unknown, error: ErrorBody | null, result: OperationOutput<Name>) => {
            this.#socket.off('disconnect', lost);
            if (timeout) lost();
            else if (error) reject(new GantryError(error));
            else resolve(result);
          },
        );
    });
  }
}
