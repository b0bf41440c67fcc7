import type { Serializable } from 'node:child_process';
import { io, type Socket } from 'socket.io-client';
import { answer } from './answer.ts';
import { callInLoop } from './call-loop.ts';
import { chatInLoop } from './chat-loop.ts';
import { type SocketJob, socketJob } from './jobs.ts';

/** Concurrent handshakes; thousands would overflow the server's backlog. */
const connectingAtOnce = 100;

let sockets: Socket[] = [];

answer(async (message): Promise<Serializable> => {
  const job = socketJob.parse(message);
  switch (job.kind) {
    case 'connect':
      sockets = await connectAll(job.url, job.tokens);
      return 'done';
    case 'storm':
      sockets = await storm(job);
      return 'done';
    case 'call':
      return callInLoop(sockets, job);
    case 'chat':
      return chatInLoop(sockets, job);
    case 'count':
      return sockets.filter((socket) => socket.connected).length; // none reconnects
    case 'disconnect':
      for (const socket of sockets.splice(0)) socket.disconnect();
      return 'done';
  }
});

async function connectAll(url: string, tokens: readonly string[]): Promise<Socket[]> {
  const connected: Socket[] = [];
  for (let start = 0; start < tokens.length; start += connectingAtOnce) {
    const some = tokens.slice(start, start + connectingAtOnce);
    connected.push(...(await Promise.all(some.map((launcherJwt) => connect(url, launcherJwt)))));
  }
  return connected;
}

async function storm({
  url,
  launchers,
  missedEvents,
}: Extract<SocketJob, { kind: 'storm' }>): Promise<Socket[]> {
  const opened: Socket[] = [];
  for (let start = 0; start < launchers.length; start += connectingAtOnce) {
    const some = launchers.slice(start, start + connectingAtOnce);
    opened.push(
      ...(await Promise.all(
        some.map(async ({ launcherJwt, cursors }) => {
          const socket = open(url, { launcherJwt, ...(cursors && { cursors }) });
          await Promise.all([connected(socket), received(socket, missedEvents)]);
          return socket;
        }),
      )),
    );
  }
  return opened;
}

/** Resolves when `count` score events have arrived; rejects when one arrives out of order or twice. */
function received(socket: Socket, count: number): Promise<void> {
  let arrived = 0;
  let last = 0;
  return new Promise((resolve, reject) => {
    if (count === 0) resolve();
    socket.on('scores created', (_record: unknown, { seq }: { seq: number }) => {
      if (seq <= last) reject(new Error(`event ${seq} arrived after ${last}`));
      last = seq;
      if (++arrived === count) resolve();
    });
  });
}

async function connect(url: string, launcherJwt: string): Promise<Socket> {
  const socket = open(url, { launcherJwt });
  await connected(socket);
  return socket;
}

function open(url: string, auth: Record<string, unknown>): Socket {
  return io(url, { auth, transports: ['websocket'], forceNew: true, reconnection: false });
}

function connected(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('connect_error', reject);
  });
}
