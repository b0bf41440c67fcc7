import { io, type Socket } from 'socket.io-client';
import { clientClosed, connectionLost, type ErrorBody, GantryError } from './client-error.ts';
import type { CompleteOptions } from './client-options.ts';
import { isFinal, refusalOf, refusedFor, type Status, unreachable } from './client-status.ts';
import type { Meta } from './cursors.ts';
import { type EventReceiver, type FirstEvent, missed } from './event-receiver.ts';
import { sentJsonOf } from './json.ts';
import { sdkVersion } from './operation-names.ts';
import type { OperationName, OperationOutput, OwnStatus } from './operation-types.ts';
import { OwnPresence } from './own-presence.ts';
import { reconnectDelay } from './retries.ts';
import { Session } from './session.ts';
import type { StoreWriter } from './store-writer.ts';

/** At least as long as what precedes a call's JSON in its frame: `42` and the number of the call. */
const frameStart = '42'.padEnd(20);

/** Whether a token is refused because it has expired, and not because its session was ended for a reason. */
function isExpiry({ data: { reason, endReason = 'expired' } = {} }: ErrorBody): boolean {
  return reason === 'token_expired' || (reason === 'session_ended' && endReason === 'expired');
}

/** The part of `game-channels patched` that is about the end of a session. */
interface EndingRecord {
  _id?: string;
  exists?: boolean;
  endReason?: string | null;
  own?: OwnStatus;
}

/**
 * The connection of a client: it reconnects and signs in again by itself, passes on events, and carries calls. Its
 * status tells whether it is live, and whether it will ever be again.
 */
export class Connection {
  readonly session: Session;
  readonly ownPresence: OwnPresence;
  readonly #options: CompleteOptions;
  readonly #events: EventReceiver;
  readonly #writer: StoreWriter;
  readonly #socket: Socket;
  readonly #statusListeners = new Set<(status: Status) => void>();
  readonly #wakers = new Set<() => void>();
  /** Of each call without an answer: makes it fail. */
  readonly #failures = new Set<(error: GantryError) => void>();
  #isClosed = false;
  /** Events that arrive before the program has added its listeners; null: they are passed on immediately. */
  #held: (() => void)[] | null = null;
  /** The channel session of the connection, and why it ended. */
  #sessionId: string | undefined;
  #endReason: string | null = null;
  #signingIn: Promise<boolean> | undefined;
  #status: Status = { state: 'connecting' };
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(options: CompleteOptions, events: EventReceiver, writer: StoreWriter) {
    this.#options = options;
    this.#events = events;
    this.#writer = writer;
    this.session = new Session(
      options,
      (ms) => this.pause(ms),
      () => writer.save(),
    );
    this.ownPresence = new OwnPresence(options.status);
    this.#socket = io(options.url, {
      transports: ['websocket', 'polling'],
      autoConnect: false,
      forceNew: true,
      reconnectionDelay: 250,
      reconnectionDelayMax: 5_000,
      ...(options.routeByPlayer && options.player && { query: { player: options.player.wallet } }),
      // Evaluated at every attempt, so that each reconnect continues after the latest event.
      auth: (send) =>
        send({
          launcherJwt: this.session.launcherJwt,
          gameSecret: options.gameSecret,
          status: this.ownPresence.status,
          gameVersion: options.gameVersion,
          gantryVersion: sdkVersion,
          ...events.cursors.toSend(),
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
      this.#failCalls(connectionLost(options.url)); // sent, and perhaps executed
      if (reason === 'io server disconnect') this.#ended();
      else if (!this.#isClosed) this.#setStatus({ state: 'connecting' });
    });
    this.#socket.on('connect_error', (error: Error & { data?: ErrorBody }) => this.#refused(error.data));
  }

  connect(): void {
    this.#socket.connect();
  }

  get status(): Status {
    return this.#status;
  }

  get isClosed(): boolean {
    return this.#isClosed;
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
      await Promise.race([this.settled(), timedOut]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Resolves when the connection is live, however long that takes. @throws GantryError when the server refuses it */
  async settled(): Promise<void> {
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
    this.requireOpen();
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

  /** Calls listeners: later, while events are held back. */
  pass(event: () => void): void {
    if (this.#held) this.#held.push(event);
    else event();
  }

  /**
   * Signs in again and connects, once for all that ask meanwhile. `otherwise`: the status if that is not possible, or
   * if the server refuses it.
   */
  signInAgain(otherwise: (refusal?: GantryError) => Status): Promise<boolean> {
    this.#signingIn ??= this.#trySignIn(otherwise).finally(() => {
      this.#signingIn = undefined;
    });
    return this.#signingIn;
  }

  /** The server does not accept this client any more. */
  refuse(error: GantryError): void {
    if (isFinal(this.#status)) return;
    this.#socket.disconnect();
    this.#setStatus(refusedFor(error));
  }

  /** Resolves after a delay, or when the client is closed. */
  pause(ms: number): Promise<void> {
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

  close(): void {
    if (this.#isClosed) return;
    clearTimeout(this.#retry);
    this.#isClosed = true;
    this.session.close();
    this.#socket.disconnect();
    this.#failCalls(clientClosed());
    for (const wake of this.#wakers) wake();
    this.#writer.close();
  }

  /** @throws GantryError once the client is closed */
  requireOpen(): void {
    if (this.#isClosed) throw clientClosed();
  }

  /** Calls an operation over the socket. @throws GantryError */
  call<Name extends OperationName>(name: Name, data: object): Promise<OperationOutput<Name>> {
    if (isFinal(this.#status)) {
      return Promise.reject(refusalOf(this.#status)); // it will not connect again
    }
    return new Promise((resolve, reject) => {
      sentJsonOf([name, 'launcher', data, {}, frameStart]);
      const fail = (error: GantryError) => {
        this.#failures.delete(fail);
        reject(error);
      };
      this.#failures.add(fail);
      // A call that times out before it was sent is not sent later.
      this.#socket
        .timeout(this.#options.timeoutMs)
        .emit(
          name,
          'launcher',
          data,
          {},
          (timeout: unknown, error: ErrorBody | null, result: OperationOutput<Name>) => {
            if (timeout) fail(connectionLost(this.#options.url));
            else if (error) fail(new GantryError(error));
            else {
              this.#failures.delete(fail);
              resolve(result);
            }
          },
        );
    });
  }

  #failCalls(error: GantryError): void {
    for (const fail of this.#failures) fail(error);
  }

  #begin(first: FirstEvent): void {
    this.#sessionId = first.sessionId;
    this.#endReason = null;
    this.session.confirm();
    this.pass(() => this.#events.begin(first));
    this.ownPresence.repeat((name, input) => this.call(name, input));
    const { warning } = first;
    this.#setStatus({ state: 'live', replayed: missed(first), ...(warning !== undefined && { warning }) });
    this.#writer.saveSoon();
  }

  #receive(name: string, record: EndingRecord, meta: Meta | undefined): void {
    if (!meta?.stream) return;
    if (name === 'friend-presence patched') this.ownPresence.learn(record.own);
    if (name === 'game-channels patched' && record._id === this.#sessionId && record.exists === false) {
      this.#endReason = record.endReason ?? null;
    }
    this.pass(() => {
      const isInOrder = this.#writer.hold(() => this.#events.receive(name, record, meta));
      if (!isInOrder) this.#socket.disconnect().connect();
    });
  }

  #ended(): void {
    const ended: Status = { state: 'ended', endReason: this.#endReason };
    if (this.#endReason === 'expired') void this.signInAgain(() => ended);
    else this.#setStatus(ended);
  }

  /**
   * With a body, the server refused the connection: because of the token, where a retry is useless, or because of its
   * own state, which is temporary. Without one, the network failed, and socket.io-client retries automatically.
   */
  #refused(body: ErrorBody | undefined): void {
    if (!body) return;
    const { code = 0, data: { reason = 'unknown' } = {} } = body;
    if (reason === 'cursors_invalid' && Object.keys(this.#events.cursors.toJSON()).length > 0) {
      this.#events.cursors.clear(); // the listeners of onResync reload the data
      this.#retry = setTimeout(() => this.#socket.connect());
    } else if (code === 429 || code >= 500) {
      this.#retry = setTimeout(() => this.#socket.connect(), reconnectDelay(code, body));
    } else if (isExpiry(body)) {
      void this.signInAgain((refusal) => refusedFor(refusal ?? new GantryError(body)));
    } else if (this.ownPresence.reduce(reason)) {
      this.#retry = setTimeout(() => this.#socket.connect());
    } else this.#setStatus(refusedFor(new GantryError(body)));
  }

  async #trySignIn(otherwise: (refusal?: GantryError) => Status): Promise<boolean> {
    let refusal: GantryError | undefined;
    if (this.session.canSignIn) {
      this.#socket.disconnect();
      this.#setStatus({ state: 'connecting' });
    }
    const isSignedIn = await this.session.signIn().catch((error) => {
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
    if (isFinal(status)) this.#failCalls(refusalOf(status)); // not sent: there is no connection
    for (const listener of this.#statusListeners) listener(status);
  }
}
