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
  /** Where the server is, such as `http://127.0.0.1:3000`. */
  url: string;
  /** Without one, only operations that need none can be called, and nothing is heard. */
  launcherJwt?: string;
  /** Saved from `client.cursors` earlier: what was missed since then is replayed. */
  cursors?: Readonly<Record<string, Cursor>>;
  /** How operations are called; events come over the socket either way. Default `socket`. */
  callOver?: 'socket' | 'http';
  /** How long an answer may take, in milliseconds. Default 15,000. */
  timeoutMs?: number;
}

/**
 * - `connecting`: not there yet, or trying again
 * - `live`: what happens now arrives, behind the `replayed` events that were missed
 * - `ended`: the server has ended the session; it does not try again
 * - `refused`: the token was not accepted, for `reason`, which `message` puts in words; it does not try again
 */
export type Status =
  | { state: 'connecting' }
  | { state: 'live'; replayed: number }
  | { state: 'ended' }
  | { state: 'refused'; reason: string; message: string };

/** How long a server that cannot take connections right now is left alone. */
const retryAfterMs = 1_000;
/** And one that has been asked too often; its windows are half a minute and a minute. */
const retryWhenLimitedMs = 10_000;

type Listener<Name extends HeardName> = (record: Heard[Name], meta: Meta) => void;

interface FirstEvent {
  streams: Record<string, Cursor & { latest: number; recovered: boolean }>;
}

/**
 * A launcher's connection to Gantry, for browsers and Node. It reconnects by itself and sends its cursors
 * along, so that what happened meanwhile is replayed; an event that comes twice is passed on once, and one
 * that comes out of turn makes it ask again from where it was.
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
      // Asked for at every attempt, so that each reconnect goes on from the latest event.
      auth: (send) => send({ launcherJwt: options.launcherJwt, cursors: this.cursors }),
    });
    this.#socket.on('realtime-events connected', (first: FirstEvent) => this.#begin(first));
    this.#socket.onAny((name: string, record: { _id?: string }, meta?: Meta) =>
      this.#hear(name, record, meta),
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

  /** How far every stream has been heard; save it to go on from there after a restart of the client. */
  get cursors(): Record<string, Cursor> {
    return this.#cursors.toJSON();
  }

  /** Hears a game's public stream too: its activities, and `leaderboards patched`. @throws ClientError */
  async subscribe(gameId?: string): Promise<OperationOutput<'subscribe'>> {
    const answer = await this.#callOverSocket('subscribe', gameId === undefined ? {} : { gameId });
    this.#cursors.begin(answer.stream, answer);
    return answer;
  }

  /** @throws ClientError */
  async unsubscribe(gameId?: string): Promise<void> {
    const { stream } = await this.#callOverSocket('unsubscribe', gameId === undefined ? {} : { gameId });
    this.#cursors.forget(stream); // a cursor would follow it again at the next connection
  }

  /** Carries out an operation. @throws ClientError */
  call<Name extends OperationName>(
    name: Name,
    ...[input]: Record<never, never> extends OperationInput<Name>
      ? [OperationInput<Name>?]
      : [OperationInput<Name>]
  ): Promise<OperationOutput<Name>> {
    return this.#call(name, { ...input });
  }

  /** Calls with another token over the same connection, as a launcher does in a game it has opened. */
  as(launcherJwt: string): Pick<GantryClient, 'call'> {
    return { call: (name, ...[input]) => this.#call(name, { ...input, launcherJwt }) };
  }

  /** Calls the listener for each event of this name, once and in order within its stream. Returns how to stop. */
  on<Name extends HeardName>(name: Name, listener: Listener<Name>): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  /**
   * Calls the listener with each stream whose history cannot be had (at the first connection, or after too
   * long an absence): load what it is about anew; events from then on follow without a gap.
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
      this.#cursors.set(stream, { epoch, seq });
      replayed += latest - seq;
      if (!recovered) for (const listener of this.#resyncListeners) listener(stream);
    }
    // A stream that is no longer named is one this player no longer hears.
    for (const stream of Object.keys(known))
      if (!Object.hasOwn(streams, stream)) this.#cursors.forget(stream);
    this.#setStatus({ state: 'live', replayed });
  }

  #hear(name: string, record: { _id?: string }, meta: Meta | undefined): void {
    if (!meta?.stream) return;
    const verdict = this.#cursors.judge(meta, record._id);
    if (verdict === 'gap') {
      this.#socket.disconnect().connect();
      return;
    }
    if (verdict === 'drop') return;
    for (const listener of this.#listeners.get(name) ?? []) listener(record as never, meta);
  }

  /**
   * With data it is the server's own word: of the token, which trying again would not change, or of itself,
   * which may pass. Without, the network failed, and socket.io-client tries again by itself.
   */
  #refused(body: ErrorBody | undefined): void {
    if (!body) return;
    const { code = 0, data: { reason = 'unknown' } = {}, message = 'The connection was refused' } = body;
    if (reason === 'cursors_invalid' && Object.keys(this.cursors).length > 0) {
      this.#cursors.clear(); // what they were of is loaded anew
      this.#retry = setTimeout(() => this.#socket.connect());
    } else if (code === 429) this.#retry = setTimeout(() => this.#socket.connect(), retryWhenLimitedMs);
    else if (code >= 500) this.#retry = setTimeout(() => this.#socket.connect(), retryAfterMs);
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
      // A call that times out before it was sent is not sent later, behind the caller's back.
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
    const response = await fetch(`${this.#options.url}/launcher`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Service-Method': name },
      body: JSON.stringify({ launcherJwt: this.#options.launcherJwt, ...data }),
      signal: AbortSignal.timeout(this.#options.timeoutMs),
    }).catch(() => {
      throw connectionLost();
    });
    // Not JSON: a proxy's word that the server broke off, say.
    const body = await response.json().catch(() => {
      throw connectionLost();
    });
    if (!response.ok) throw new ClientError(body);
    return body;
  }
}
