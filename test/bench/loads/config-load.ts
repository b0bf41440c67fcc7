import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { answer } from './answer.ts';

/** Games that are cheap: plain WebSockets, with the few frames of Socket.IO that they need. */
const job = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('connect'), url: z.string(), tokens: z.array(z.string()) }),
  /** Waits until every game has been told of this version. */
  z.object({ kind: z.literal('told'), version: z.number() }),
  /** Waits until every game has read this version. */
  z.object({ kind: z.literal('read'), version: z.number() }),
]);

const connectsAtOnce = 100;
const games: WebSocket[] = [];
/** When each game was told of the latest version, and when it has read it, on the clock that all processes share. */
let told: number[] = [];
let reads: number[] = [];
let answered = 0;
let version = 0;
let spreadMs = 0;

answer(async (message) => {
  const wanted = job.parse(message);
  if (wanted.kind === 'connect') {
    for (let at = 0; at < wanted.tokens.length; at += connectsAtOnce) {
      const part = wanted.tokens.slice(at, at + connectsAtOnce);
      games.push(...(await Promise.all(part.map((token) => connect(wanted.url, token)))));
    }
    return { times: [], spreadMs };
  }
  const isDone = () =>
    version === wanted.version && (wanted.kind === 'told' ? told : reads).length === games.length;
  while (!isDone() || (wanted.kind === 'read' && answered < games.length)) await setTimeout(10);
  return { times: wanted.kind === 'told' ? told : reads, spreadMs };
});

function connect(url: string, launcherJwt: string): Promise<WebSocket> {
  const webSocket = new WebSocket(`${url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`);
  return new Promise((resolve, reject) => {
    webSocket.onerror = () => reject(new Error('a WebSocket failed'));
    webSocket.onmessage = ({ data }) => {
      const frame = String(data);
      if (frame.startsWith('0')) webSocket.send(`40${JSON.stringify({ launcherJwt })}`);
      else if (frame === '2') webSocket.send('3');
      else if (frame.startsWith('42["config patched"')) hear(webSocket, frame);
      else if (frame.startsWith('431[null')) answered++;
      else if (frame.startsWith('44') || frame.startsWith('431[')) reject(new Error(frame));
      else if (frame.startsWith('42["realtime-events connected"')) resolve(webSocket);
    };
  });
}

/**
 * As PROTOCOL.md says: reads after a random time, unless the values are there. It does not parse the message: this process
 * would take longer than the server.
 */
function hear(webSocket: WebSocket, frame: string): void {
  const now = Date.now();
  const changed = Number(/"version":(\d+)/.exec(frame)?.[1]);
  if (changed !== version) {
    told = [];
    reads = [];
    answered = 0;
    version = changed;
    spreadMs = Number(/"spreadMs":(\d+)/.exec(frame)?.[1]);
  }
  told.push(now);
  if (frame.includes('"values":')) return;
  globalThis.setTimeout(() => {
    reads.push(Date.now());
    webSocket.send('421["getConfig","launcher",{}]');
  }, Math.random() * spreadMs);
}
