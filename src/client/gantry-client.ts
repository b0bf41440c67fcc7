import { io, type Socket } from 'socket.io-client';
import { CallQueue, type QueuedOutcome } from './call-queue.ts';
import { clientError, connectionLost, type ErrorBody, GantryError } from './client-error.ts';
import { type Cursor, Cursors, type Meta } from './cursors.ts';
import { callOverHttp } from './http-call.ts';
import { neverRepeated, repeatable, repeatableWithKey } from './operation-names.ts';
import type {
  Heard,
  HeardName,
  OperationInput,
  OperationName,
  OperationOutput,
  QueueableName,
} from './operation-types.ts';
import type { QueuedCall, Saved, Store } from './store.ts';

export interface ClientOptions {
  /** The server's URL, such as `http://127.0.0.1:3000`. */
  url: string;
  /** Without a token, only operations that need none can be called, and no events are received. */
  launcherJwt?: string;
  /** For a game's own server: calls name their player, see `forPlayer`. Never in what players are given. */
  gameSecret?: string;
  /** Saved from `client.cursors` earlier: events missed since then are replayed. */
  cursors?: Readonly<Record<string, Cursor>>;
  /** Keeps the cursors, the notifications handled and the queued calls over a restart; for one player. */
  store?: Store | undefined;
  /** The transport of calls; events always arrive over the socket. Default `socket`. */
  callOver?: 'socket' | 'http';
  /** The timeout of a call, in milliseconds. Default 15,000. */
  timeoutMs?: number;
  /**
   * How often a call is sent again that was not carried out (429, 503, after `Retry-After`), or whose answer was lost and
   * that does no harm twice: a read, or a write with an `idempotencyKey`. Default 2.
   */
  retries?: number;
  /** A call is not sent again when the server asks for a longer wait, in milliseconds. Default 10,000. */
  maxRetryDelayMs?: number;
}

/** An operation's input and options; the input may be left out where all of it may. */
export type CallArguments<Name extends OperationName> =
  Record<never, never> extends OperationInput<Name>
    ? [input?: OperationInput<Name>, options?: CallOptions]
    : [input: OperationInput<Name>, options?: CallOptions];

/** Every operation as a method of its own. */
export type Api = {
  readonly [Name in OperationName]: (...args: CallArguments<Name>) => Promise<OperationOutput<Name>>;
};

/** What may be said of a call beside its input. */
export interface CallOptions {
  /** A write that is sent again with the same key is carried out once, and answered the same. */
  idempotencyKey?: string;
}

/**
 * - `connecting`: not connected yet, or reconnecting
 * - `live`: connected; events arrive, after the `replayed` missed ones
 * - `ended`: the server ended the session; the client does not reconnect
 * - `refused`: the token was not accepted, for `reason`, explained by `message`; the client does not reconnect
 */
export type Status =
  | { state: 'connecting' }
  | { state: 'live'; replayed: number }
  | { state: 'ended' }
  | { state: 'refused'; reason: string; message: string };

/** The reconnect delay when the server cannot accept connections right now. */
const reconnectDelayMs = 1_000;
/** The reconnect delay when rate limited by something that does not say for how long. */
const rateLimitedDelayMs = 10_000;
/** The delay before a call's first retry where the server names none; it doubles. */
const firstRetryDelayMs = 250;
/** The store is given what is to be kept at most once in this time, but queued calls at once. */
const saveIntervalMs = 100;

const operationNames: ReadonlySet<string> = new Set([...repeatable, ...repeatableWithKey, ...neverRepeated]);

type Call = <Name extends OperationName>(
  name: Name,
  ...args: CallArguments<Name>
) => Promise<OperationOutput<Name>>;

type Listener<Name extends HeardName> = (record: Heard[Name], meta: Meta) => void;

interface FirstEvent {
  streams: Record<string, Cursor & { latest: number; recovered: boolean }>;
}

/**
 * A launcher's connection to Gantry, for browsers and Node. It reconnects automatically and sends its cursors,
 * so that missed events are replayed; a duplicate event is delivered once, and an event
 * out of order makes it reconnect from its cursor.
 */
export class GantryClient {
  readonly #options: Required<
    Pick<ClientOptions, 'url' | 'callOver' | 'timeoutMs' | 'retries' | 'maxRetryDelayMs'>
  > &
    ClientOptions;
  /** What the store had at the start, for what of it is not the client's. */
  readonly #saved: Saved;
  readonly #cursors: Cursors;
  readonly #socket: Socket;
  readonly #listeners = new Map<string, Set<(record: never, meta: Meta) => void>>();
  readonly #statusListeners = new Set<(status: Status) => void>();
  readonly #resyncListeners = new Set<(stream: string) => unknown>();
  readonly #queueListeners = new Set<(call: QueuedCall, outcome: QueuedOutcome) => void>();
  readonly #queue: CallQueue;
  /** Streams that are being loaded again: until then, a restart of the game has to do so as well. */
  readonly #loading = new Map<string, Promise<unknown>>();
  readonly #wakers = new Set<() => void>();
  #isClosed = false;
  #isHandling = false;
  #isSaveDue = false;
  #saveTimer: ReturnType<typeof setTimeout> | undefined;
  #status: Status = { state: 'connecting' };
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ClientOptions) {
    const defaults = { callOver: 'socket', timeoutMs: 15_000, retries: 2, maxRetryDelayMs: 10_000 } as const;
    this.#options = { ...defaults, ...options };
    this.#saved = options.store?.load() ?? {};
    this.#cursors = new Cursors(options.cursors ?? this.#saved.cursors, this.#saved.notifications);
    this.#queue = new CallQueue(
      {
        call: (operation, data) => this.#callOnce(operation as OperationName, data),
        connected: () => (this.#options.callOver === 'http' ? this.#open() : this.ready()),
        pause: (ms) => this.#pause(ms),
        save: () => this.#save(),
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
          launcherJwt: options.launcherJwt,
          gameSecret: options.gameSecret,
          ...this.#cursors.toSend(),
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
      this.#setStatus({ state: reason === 'io server disconnect' ? 'ended' : 'connecting' });
    });
    this.#socket.on('connect_error', (error: Error & { data?: ErrorBody }) => this.#refused(error.data));
    this.#socket.connect();
    this.#queue.send();
  }

  get status(): Status {
    return this.#status;
  }

  /** The position in every stream; save it to continue from there after a restart of the client. */
  get cursors(): Record<string, Cursor> {
    return this.#cursors.toJSON();
  }

  /** Subscribes to a game's public stream: its activities, and `leaderboards patched`. @throws GantryError */
  async subscribe(gameId?: string): Promise<OperationOutput<'subscribe'>> {
    const answer = await this.#callOverSocket('subscribe', gameId === undefined ? {} : { gameId });
    this.#cursors.begin(answer.stream, answer);
    return answer;
  }

  /** @throws GantryError */
  async unsubscribe(gameId?: string): Promise<void> {
    const { stream } = await this.#callOverSocket('unsubscribe', gameId === undefined ? {} : { gameId });
    this.#cursors.forget(stream); // with a cursor, the next connection would subscribe again
  }

  /** Calls an operation. @throws GantryError */
  call<Name extends OperationName>(
    name: Name,
    ...[input, options]: CallArguments<Name>
  ): Promise<OperationOutput<Name>> {
    return this.#call(name, { ...input, ...options });
  }

  /** Every operation as a method: `client.api.setUserScore({ score: 5 })` is `client.call('setUserScore', { score: 5 })`. */
  readonly api: Api = apiOf((name, ...args) => this.call(name, ...args));

  /** Calls with another token over the same connection, as a launcher does for a game's session. */
  as(launcherJwt: string): Pick<GantryClient, 'call' | 'api'> {
    return calling((name, ...[input, options]) => this.#call(name, { ...input, ...options, launcherJwt }));
  }

  /** Calls about a player, as the game's server does that has given its `gameSecret`. */
  forPlayer(wallet: string): Pick<GantryClient, 'call' | 'api'> {
    return calling((name, ...[input, options]) => this.#call(name, { wallet, ...input, ...options }));
  }

  /**
   * Calls an operation as soon as there is a connection, and until the server has answered, over restarts of the game too
   * where there is a `store`: once, and in the order of these calls. @throws GantryError when the server refuses it
   */
  queue<Name extends QueueableName>(name: Name, input: OperationInput<Name>): Promise<OperationOutput<Name>> {
    return this.#queue.add(name, input) as Promise<OperationOutput<Name>>;
  }

  /** The queued calls that no answer has come to. */
  get queued(): readonly QueuedCall[] {
    return this.#queue.calls;
  }

  /** Calls the listener for each queued call that is done, those queued before a restart of the game too. */
  onQueued(listener: (call: QueuedCall, outcome: QueuedOutcome) => void): () => void {
    this.#queueListeners.add(listener);
    return () => this.#queueListeners.delete(listener);
  }

  /** Calls the listener for each event of this name, once and in order within its stream. Returns a function that unsubscribes. */
  on<Name extends HeardName>(name: Name, listener: Listener<Name>): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  /**
   * Calls the listener with each stream whose history is not available (at the first connection, or after too
   * long an absence): reload the data it is about; later events follow without a gap. The stream's cursor is given to the
   * store when what the listener returns has resolved.
   */
  onResync(listener: (stream: string) => unknown): () => void {
    this.#resyncListeners.add(listener);
    return () => this.#resyncListeners.delete(listener);
  }

  onStatus(listener: (status: Status) => void): () => void {
    this.#statusListeners.add(listener);
    return () => this.#statusListeners.delete(listener);
  }

  /** Resolves when the connection is live. @throws GantryError when the server refuses it */
  async ready(): Promise<void> {
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

  /** Closes the connection for good; calls without an answer are rejected, and queued ones wait in the store. */
  close(): void {
    if (this.#isClosed) return;
    clearTimeout(this.#retry);
    this.#isClosed = true;
    this.#socket.disconnect();
    for (const wake of this.#wakers) wake();
    if (this.#saveTimer !== undefined) this.#save();
  }

  #begin({ streams }: FirstEvent): void {
    const known = this.#cursors.toJSON();
    let replayed = 0;
    for (const [stream, { epoch, seq, latest, recovered }] of Object.entries(streams)) {
      const own = this.#cursors.get(stream);
      const isSameHistory = own?.epoch === epoch;
      replayed += latest - seq;
      // Its cursor may not have been sent: then nothing was missed when it stands where the stream does.
      const isMissed = !recovered && !(isSameHistory && own.seq === seq);
      if (recovered && isSameHistory && own.seq > seq) continue; // what comes again is dropped
      this.#cursors.set(stream, { epoch, seq });
      if (isMissed) this.#reload(stream);
    }
    // The player no longer receives a stream that is not listed.
    for (const stream of Object.keys(known))
      if (!Object.hasOwn(streams, stream)) this.#cursors.forget(stream);
    this.#setStatus({ state: 'live', replayed });
    this.#saveSoon();
  }

  #reload(stream: string): void {
    const loading = Promise.all([...this.#resyncListeners].map((listener) => listener(stream)));
    this.#loading.set(stream, loading);
    loading.then(
      () => {
        if (this.#loading.get(stream) !== loading) return;
        this.#loading.delete(stream);
        this.#saveSoon();
      },
      () => undefined, // without its cursor in the store, the next start loads it again
    );
  }

  #saveSoon(): void {
    if (!this.#options.store || this.#isClosed) return;
    this.#saveTimer ??= setTimeout(() => this.#save(), saveIntervalMs);
  }

  #save(): void {
    this.#isSaveDue = this.#isHandling; // never ahead of what listeners have made of an event
    if (this.#isHandling) return;
    clearTimeout(this.#saveTimer);
    this.#saveTimer = undefined;
    const loaded = Object.entries(this.cursors).filter(([stream]) => !this.#loading.has(stream));
    this.#options.store?.save({
      ...this.#saved,
      cursors: Object.fromEntries(loaded),
      notifications: this.#cursors.notifications,
      queue: this.#queue.calls.map((call) => ({ ...call })),
    });
  }

  #receive(name: string, record: { _id?: string }, meta: Meta | undefined): void {
    if (!meta?.stream) return;
    const verdict = this.#cursors.judge(name, meta, record._id);
    if (verdict === 'gap') {
      this.#socket.disconnect().connect();
      return;
    }
    if (verdict === 'drop') return;
    this.#isHandling = true;
    for (const listener of this.#listeners.get(name) ?? []) {
      try {
        listener(record as never, meta);
      } catch (error) {
        // It is the game's; the other listeners are to hear of the event all the same.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
    this.#isHandling = false;
    if (this.#isSaveDue) this.#save();
    this.#saveSoon();
  }

  /**
   * With data, the server itself refused: because of the token, which retrying would not change, or because of
   * its own state, which may pass. Without, the network failed, and socket.io-client retries by itself.
   */
  #refused(body: ErrorBody | undefined): void {
    if (!body) return;
    const { code = 0, data: { reason = 'unknown' } = {}, message = 'The connection was refused' } = body;
    if (reason === 'cursors_invalid' && Object.keys(this.cursors).length > 0) {
      this.#cursors.clear(); // the listeners of onResync reload the data
      this.#retry = setTimeout(() => this.#socket.connect());
    } else if (code === 429 || code >= 500) {
      const usual = code === 429 ? rateLimitedDelayMs : reconnectDelayMs;
      const asked = body.data?.retryAfterSeconds;
      this.#retry = setTimeout(() => this.#socket.connect(), asked === undefined ? usual : asked * 1000);
    } else this.#setStatus({ state: 'refused', reason, message });
  }

  #setStatus(status: Status): void {
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
    const { callOver, url, launcherJwt, ...options } = this.#options;
    if (callOver === 'socket') return this.#callOverSocket(name, data);
    const answer = await callOverHttp(url, name, { launcherJwt, ...data }, options);
    return answer as OperationOutput<Name>;
  }

  /** @throws GantryError once the client is closed */
  async #open(): Promise<void> {
    if (this.#isClosed) throw clientError('client_closed', 'The client was closed');
  }

  /** Waits, or until the client is closed. */
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
    if (this.#status.state === 'ended' || this.#status.state === 'refused') {
      return Promise.reject(refusalOf(this.#status)); // there will be no connection to send it over
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

/** How long to wait before a call is sent again, in milliseconds; null: it is not. */
function retryDelay(error: GantryError, attempt: number, mayRepeat: boolean): number | null {
  // With these two, nothing was carried out.
  const isRefusal = error.code === 429 || error.code === 503;
  if (!isRefusal && !(error.reason === 'connection_lost' && mayRepeat)) return null;
  const { retryAfterSeconds } = error;
  return retryAfterSeconds === undefined ? firstRetryDelayMs * 2 ** attempt : retryAfterSeconds * 1000;
}

function mayRepeat(name: string, data: Readonly<Record<string, unknown>>): boolean {
  return repeatable.includes(name) || (data.idempotencyKey !== undefined && repeatableWithKey.includes(name));
}

function refusalOf(status: Status): GantryError {
  const reason = status.state === 'refused' ? status.reason : 'session_ended';
  return new GantryError({ message: `The connection was refused: ${reason}`, code: 401, data: { reason } });
}

function calling(call: Call): { call: Call; api: Api } {
  return { call, api: apiOf(call) };
}

function apiOf(call: Call): Api {
  return new Proxy({} as Api, {
    // Nothing else is there: an object with a `then` would be taken for a promise.
    get: (_, name) =>
      typeof name === 'string' && operationNames.has(name)
        ? (...args: [never]) => call(name as OperationName, ...args)
        : undefined,
  });
}
