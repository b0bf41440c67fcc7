import { io, type Socket } from 'socket.io-client';
import type { EventMeta } from '../../src/core/events/stream.ts';
import { until } from './until.ts';

/** An event as a launcher received it. */
export interface ReceivedEvent {
  name: string;
  record: Record<string, unknown>;
  meta: EventMeta;
}

/** Where a stream continues for a connection. */
export interface Resumption {
  epoch: string;
  seq: number;
  latest: number;
  recovered: boolean;
}

/** A launcher's connection that records what it receives. */
export interface TestLauncher extends Disposable {
  socket: Socket;
  /** Every event so far except the first, which carries the positions of the streams. */
  received: ReceivedEvent[];
  /** How each stream continues for this connection, as the first event said. */
  streams(): Promise<Record<string, Resumption>>;
  /** Calls an operation; rejects with the error body the server acked. */
  call(method: string, data?: unknown, service?: string): Promise<unknown>;
  /** The first event of this name, received already or from now on. */
  waitForEvent(name: string): Promise<ReceivedEvent>;
}

/** Connects over WebSocket and resolves once the server has accepted the launcher. */
export async function connectLauncher(
  url: string,
  auth: Record<string, unknown> = {},
): Promise<TestLauncher> {
  const socket = io(url, { auth, transports: ['websocket'], forceNew: true, reconnection: false });
  const received: ReceivedEvent[] = [];
  let streams: Record<string, Resumption> | undefined;
  socket.on('realtime-events connected', (first: { streams: Record<string, Resumption> }) => {
    streams = first.streams;
  });
  socket.onAny((name: string, record: Record<string, unknown>, meta: EventMeta) => {
    if (name !== 'realtime-events connected') received.push({ name, record, meta });
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('connect_error', reject);
  });
  return {
    socket,
    received,
    streams: () => until('the first event', () => streams),
    call: (method, data = {}, service = 'launcher') =>
      new Promise((resolve, reject) => {
        socket.emit(method, service, data, {}, (error: unknown, result: unknown) =>
          error ? reject(error) : resolve(result),
        );
      }),
    waitForEvent: (name) => until(`the event ${name}`, () => received.find((one) => one.name === name)),
    [Symbol.dispose]: () => socket.disconnect(),
  };
}

/**
 * Resolves when the launchers have caught up and are live, and everything sent to them before has arrived, or never
 * will. A mark may be received in each of the two phases of catching up; a third one comes after both.
 */
export async function settled(...launchers: Pick<TestLauncher, 'received' | 'call'>[]): Promise<void> {
  for (const launcher of launchers) {
    for (let marks = 0; marks < 3; marks++) {
      const message = `mark ${Math.random()}`;
      await launcher.call('sendNotification', { message, type: 'success' });
      await until('the mark', () => launcher.received.some(({ record }) => record.message === message));
    }
  }
}
