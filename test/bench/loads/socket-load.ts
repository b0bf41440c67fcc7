import type { Serializable } from 'node:child_process';
import { io, type Socket } from 'socket.io-client';
import { answer } from './answer.ts';
import { callInLoop } from './call-loop.ts';
import { chatInLoop } from './chat-loop.ts';
import { socketJob } from './jobs.ts';

/** Concurrent handshakes; thousands would overflow the server's backlog. */
const connectingAtOnce = 100;

let sockets: Socket[] = [];

answer(async (message): Promise<Serializable> => {
  const job = socketJob.parse(message);
  switch (job.kind) {
    case 'connect':
      sockets = await connectAll(job.url, job.tokens);
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

function connect(url: string, launcherJwt: string): Promise<Socket> {
  const socket = io(url, {
    auth: { launcherJwt },
    transports: ['websocket'],
    forceNew: true,
    reconnection: false,
  });
  return new Promise((resolve, reject) => {
    socket.once('connect', () => resolve(socket));
    socket.once('connect_error', reject);
  });
}
