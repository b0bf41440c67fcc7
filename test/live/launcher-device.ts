import { io, type Socket } from 'socket.io-client';
import type { FriendPresence } from '../../src/features/friends/presence.ts';
import { type Cursor, Cursors, type Meta } from '../../src/sdk/client/cursors.ts';
import { EventReceiver, type FirstEvent } from '../../src/sdk/client/event-receiver.ts';
import { type ClientReceived, type Listening, receivedNames } from '../support/listening-client.ts';
import { until } from '../support/until.ts';

const retryMs = 100;

/** Whose device it is, as the device must know it at every connection. */
export interface DeviceOwner {
  launcherJwt: string;
  /** For the handshake; null: the player has never chosen one. */
  readonly choice: { status: string; text: string } | null;
  /** It was chosen while no device was connected: in a handshake it does not count while a node believes one is. */
  isUnsent: boolean;
}

/**
 * A launcher on one of a player's devices: receives the player's events, and after each connection follows the presence
 * of friends and says which game is open.
 */
export class LauncherDevice implements Listening {
  readonly received: ClientReceived[] = [];
  readonly resyncs: string[] = [];
  /** What it shows of friends who are not offline; null: it follows nobody now. */
  view: ReadonlyMap<string, FriendPresence> | null = null;
  readonly url: string;
  /** When it was last connected, by the monotonic clock. */
  liveAt = Number.NEGATIVE_INFINITY;
  readonly #owner: DeviceOwner;
  readonly #seen: (friend: FriendPresence) => void;
  readonly #cursors = new Cursors();
  readonly #events = new EventReceiver(this.#cursors, () => undefined);
  #socket: Socket | null = null;
  #game: string | null = null;
  #start: Record<string, Cursor> | undefined;
  #connections = 0;
  #isSettled = false;

  /** `seen`: called with what it is told of a friend. */
  constructor(url: string, owner: DeviceOwner, seen: (friend: FriendPresence) => void) {
    this.url = url;
    this.#owner = owner;
    this.#seen = seen;
    for (const name of receivedNames) {
      this.#events.on(name, (record, meta) => this.received.push({ name, record: { ...record }, meta }));
    }
    this.#events.onResync((stream) => this.resyncs.push(stream));
  }

  open(): void {
    if (this.#socket) return;
    const socket = io(this.url, {
      transports: ['websocket'],
      forceNew: true,
      reconnectionDelay: 250,
      reconnectionDelayMax: 1_000,
      auth: (send) => {
        const { launcherJwt, choice } = this.#owner;
        send({ launcherJwt, ...this.#cursors.toSend(), ...(choice && { status: choice }) });
      },
    });
    this.#socket = socket;
    socket.on('realtime-events connected', (first: FirstEvent) => {
      this.#events.begin(first);
      this.#start ??= this.#cursors.toJSON();
      this.#connections++;
      void this.#settle(socket);
    });
    socket.onAny((name: string, record: object, meta?: Meta) => {
      if (!meta?.stream || socket !== this.#socket) return;
      if (name === 'friend-presence patched') this.#show((record as { friends: FriendPresence[] }).friends);
      if (!this.#events.receive(name, record, meta)) socket.disconnect().connect();
    });
    socket.on('disconnect', () => this.#lost(socket));
    socket.on('connect_error', () => {
      // Refused by the server, temporarily: Socket.IO retries only what the network refused.
      if (!socket.active) setTimeout(() => socket === this.#socket && socket.connect(), retryMs);
    });
  }

  /** The connection breaks, without a farewell; it reconnects. */
  break(): void {
    (this.#socket?.io.engine?.transport as { ws?: { terminate(): void } } | undefined)?.ws?.terminate();
  }

  /** The connection breaks and nothing reconnects: switched off. */
  leave(): void {
    const socket = this.#socket;
    this.break();
    this.#socket = null;
    if (socket) this.#lost(socket);
    socket?.disconnect();
    this.#game = null;
  }

  get isOpen(): boolean {
    return this.#socket !== null;
  }

  /** It is off, or connected, follows friends and has said which game is open. */
  get isSettled(): boolean {
    return this.#socket === null || this.#isSettled;
  }

  get game(): string | null {
    return this.#game;
  }

  /** Opens a game, now or when it is connected again. */
  async openGame(gameId: string | null): Promise<void> {
    this.#game = gameId;
    if (this.#socket && this.#isSettled) await this.#say(this.#socket, 'setCurrentGame', { gameId });
  }

  /** Tells the owner's choice, which the handshakes of other connections contain from now on. */
  async sayStatus(): Promise<void> {
    const socket = this.#socket;
    if (socket && this.#owner.choice) await this.#say(socket, 'setStatus', this.#owner.choice);
  }

  start(): Record<string, Cursor> {
    return this.#start ?? {};
  }

  connections(): number {
    return this.#connections;
  }

  async ready(): Promise<void> {
    await until('a launcher live', () => this.#isSettled);
  }

  async cursors(): Promise<Record<string, Cursor>> {
    return this.#cursors.toJSON();
  }

  close(): void {
    this.leave();
  }

  #lost(socket: Socket): void {
    if (socket.connected || this.#isSettled) this.liveAt = performance.now();
    this.#isSettled = false;
    this.view = null;
  }

  async #settle(socket: Socket): Promise<void> {
    // In the turn of the answer: changes that arrive with it are newer.
    const isFollowing = await this.#say(socket, 'followPresence', {}, (answer) => {
      this.view = new Map();
      this.#show((answer as { friends: FriendPresence[] }).friends);
    });
    if (!isFollowing) return;
    if (this.#owner.isUnsent) {
      const { choice } = this.#owner;
      if (!(await this.#say(socket, 'setStatus', choice ?? {}))) return;
      if (choice === this.#owner.choice) this.#owner.isUnsent = false;
    }
    const gameId = this.#game;
    if (gameId !== null && !(await this.#say(socket, 'setCurrentGame', { gameId }))) return;
    if (gameId === this.#game) this.#isSettled = true;
    else await this.#settle(socket);
  }

  #show(friends: readonly FriendPresence[]): void {
    if (!this.view) return;
    const view = new Map(this.view);
    for (const friend of friends) {
      if (friend.status === 'offline') view.delete(friend.wallet);
      else view.set(friend.wallet, friend);
      this.#seen(friend);
    }
    this.view = view;
  }

  /** Calls until it is answered; false: the connection was lost. */
  async #say(
    socket: Socket,
    method: string,
    data: object,
    answered: (answer: unknown) => void = () => undefined,
  ): Promise<boolean> {
    for (;;) {
      if (socket !== this.#socket || !socket.connected) return false;
      const outcome = await new Promise<'answered' | 'refused' | 'lost'>((resolve) => {
        const lost = () => resolve('lost');
        socket.once('disconnect', lost);
        socket.emit(method, 'launcher', data, {}, (error: unknown, answer: unknown) => {
          socket.off('disconnect', lost);
          if (!error) answered(answer);
          resolve(error ? 'refused' : 'answered');
        });
      });
      if (outcome !== 'refused') return outcome === 'answered';
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }
}
