import { io, type Socket } from 'socket.io-client';
import { ClientError, connectionLost, type ErrorBody } from './client-error.ts';
import { type Cursor, Cursors, type Meta } from './cursors.ts';
import type { Heard, HeardName, OperationInput, OperationName, OperationOutput } from './operation-types.ts';

export { ClientError } from './client-error.ts';
export type { Cursor, Meta } from './cursors.ts';
export type {
  Heard,
  HeardName,
  OperationInput,
  OperationName,
  OperationOutput,
} from './operation-types.ts';

export interface ClientOptions {
  /** The server's URL, such as `http://127.0.0.1:3000`. */
  url: string;
  /** Without a token, only operations that need none can be called, and no events are received. */
  launcherJwt?: string;
  /** For a game's own server: calls name their player, see `forPlayer`. Never in what players are given. */
  gameSecret?: string;
  /** Saved from `client.cursors` earlier: events missed since then are replayed. */
  cursors?: Readonly<Record<string, Cursor>>;
  /** The transport of calls; events always arrive over the socket. Default `socket`. */
  callOver?: 'socket' | 'http';
  /** The timeout of a call, in milliseconds. Default 15,000. */
  timeoutMs?: number;
}

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
/** The reconnect delay when rate limited; the limits' windows are half a minute and a minute. */
const rateLimitedDelayMs = 10_000;

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
  readonly #options: Required<Pick<ClientOptions, 'url' | 'callOver' | 'timeoutMs'>> & ClientOptions;
  readonly #cursors: Cursors;
  readonly #socket: Socket;
  readonly #listeners = new Map<string, Set<(record: never, meta: Meta) => void>>();
  readonly #statusListeners = new Set<(status: Status) => void>();
  readonly #resyncListeners = new Set<(stream: string) => void>();
  #status: Status = { state: 'connecting' };
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ClientOptions) {
    this.#options = { callOver: 'socket', timeoutMs: 15_000, ...options };
    this.#cursors = new Cursors(options.cursors);
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
  }

  get status(): Status {
    return this.#status;
  }

  /** The position in every stream; save it to continue from there after a restart of the client. */
  get cursors(): Record<string, Cursor> {
    return this.#cursors.toJSON();
  }

  /** Subscribes to a game's public stream: its activities, and `leaderboards patched`. @throws ClientError */
  async subscribe(gameId?: string): Promise<OperationOutput<'subscribe'>> {
    const answer = await this.#callOverSocket('subscribe', gameId === undefined ? {} : { gameId });
    this.#cursors.begin(answer.stream, answer);
    return answer;
  }

  /** @throws ClientError */
  async unsubscribe(gameId?: string): Promise<void> {
    const { stream } = await this.#callOverSocket('unsubscribe', gameId === undefined ? {} : { gameId });
    this.#cursors.forget(stream); // with a cursor, the next connection would subscribe again
  }

  /** Calls an operation. @throws ClientError */
  call<Name extends OperationName>(
    name: Name,
    ...[input, options]: Record<never, never> extends OperationInput<Name>
      ? [OperationInput<Name>?, CallOptions?]
      : [OperationInput<Name>, CallOptions?]
  ): Promise<OperationOutput<Name>> {
    return this.#call(name, { ...input, ...options });
  }

  /** Calls with another token over the same connection, as a launcher does for a game's session. */
  as(launcherJwt: string): Pick<GantryClient, 'call'> {
    return { call: (name, ...[input, options]) => this.#call(name, { ...input, ...options, launcherJwt }) };
  }

  /** Calls about a player, as the game's server does that has given its `gameSecret`. */
  forPlayer(wallet: string): Pick<GantryClient, 'call'> {
    return { call: (name, ...[input, options]) => this.#call(name, { wallet, ...input, ...options }) };
  }

  /** Calls the listener for each event of this name, once and in order within its stream. Returns a function that unsubscribes. */
  on<Name extends HeardName>(name: Name, listener: Listener<Name>): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  /**
   * Calls the listener with each stream whose history is not available (at the first connection, or after too
   * long an absence): reload the data it is about; later events follow without a gap.
   */
  onResync(listener: (stream: string) => void): () => void {
    this.#resyncListeners.add(listener);
    return () => this.#resyncListeners.delete(listener);
  }

  onStatus(listener: (status: Status) => void): () => void {
    this.#statusListeners.add(listener);
    return () => this.#statusListeners.delete(listener);
  }

  /** Resolves when the connection is live. @throws ClientError when the server refuses it */
  async ready(): Promise<void> {
    const settled = (status: Status) => status.state !== 'connecting';
    const status = settled(this.#status)
      ? this.#status
      : await new Promise<Status>((resolve) => {
          const stop = this.onStatus((now) => {
            if (!settled(now)) return;
            stop();
            resolve(now);
          });
        });
    if (status.state === 'live') return;
    const reason = status.state === 'refused' ? status.reason : 'session_ended';
    throw new ClientError({ message: `The connection was refused: ${reason}`, code: 401, data: { reason } });
  }

  close(): void {
    clearTimeout(this.#retry);
    this.#socket.disconnect();
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
      if (isMissed) for (const listener of this.#resyncListeners) listener(stream);
    }
    // The player no longer receives a stream that is not listed.
    for (const stream of Object.keys(known))
      if (!Object.hasOwn(streams, stream)) this.#cursors.forget(stream);
    this.#setStatus({ state: 'live', replayed });
  }

  #receive(name: string, record: { _id?: string }, meta: Meta | undefined): void {
    if (!meta?.stream) return;
    const verdict = this.#cursors.judge(name, meta, record._id);
    if (verdict === 'gap') {
      this.#socket.disconnect().connect();
      return;
    }
    if (verdict === 'drop') return;
    for (const listener of this.#listeners.get(name) ?? []) listener(record as never, meta);
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
    } else if (code === 429) this.#retry = setTimeout(() => this.#socket.connect(), rateLimitedDelayMs);
    else if (code >= 500) this.#retry = setTimeout(() => this.#socket.connect(), reconnectDelayMs);
    else this.#setStatus({ state: 'refused', reason, message });
  }

  #setStatus(status: Status): void {
    this.#status = status;
    for (const listener of this.#statusListeners) listener(status);
  }

  #call<Name extends OperationName>(name: Name, data: object): Promise<OperationOutput<Name>> {
    return this.#options.callOver === 'http'
      ? this.#callOverHttp(name, data)
      : this.#callOverSocket(name, data);
  }

  #callOverSocket<Name extends OperationName>(name: Name, data: object): Promise<OperationOutput<Name>> {
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
            else if (error) reject(new ClientError(error));
            else resolve(result);
          },
        );
    });
  }

  async #callOverHttp<Name extends OperationName>(name: Name, data: object): Promise<OperationOutput<Name>> {
    const { gameSecret } = this.#options;
    const response = await fetch(`${this.#options.url}/launcher`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'X-Service-Method': name,
        ...(gameSecret !== undefined && { Authorization: `Bearer ${gameSecret}` }),
      },
      body: JSON.stringify({ launcherJwt: this.#options.launcherJwt, ...data }),
      signal: AbortSignal.timeout(this.#options.timeoutMs),
    }).catch(() => {
      throw connectionLost();
    });
    // Not JSON: a proxy's error page, for example.
    const body = await response.json().catch(() => {
      throw connectionLost();
    });
    if (!response.ok) throw new ClientError(body);
    return body;
  }
}
