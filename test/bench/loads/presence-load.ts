import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { answer } from './answer.ts';

/** Launchers that are cheap: plain WebSockets, with the few frames of Socket.IO that they need. */
interface Launcher {
  webSocket: WebSocket;
  wallet: string;
}

const job = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('connect'),
    url: z.string(),
    players: z.array(z.object({ wallet: z.string(), launcherJwt: z.string() })),
    /** Over how long the connects are spread. */
    seconds: z.number(),
    follows: z.boolean(),
  }),
  z.object({ kind: z.literal('follow') }),
  /** Sets statuses of random launchers, at this rate. */
  z.object({ kind: z.literal('change'), perSecond: z.number(), seconds: z.number() }),
  z.object({ kind: z.literal('disconnect') }),
]);

let launchers: Launcher[] = [];
/** When each status was set, by its text. */
let setAt = new Map<string, number>();
let latencies: number[] = [];
let frames = 0;
let friends = 0;

answer(async (message) => {
  const wanted = job.parse(message);
  frames = 0;
  friends = 0;
  switch (wanted.kind) {
    case 'connect': {
      const { players, seconds } = wanted;
      const startedAt = performance.now();
      launchers = await Promise.all(
        players.map(async (player, at) => {
          await setTimeout(startedAt + (at / players.length) * seconds * 1000 - performance.now());
          return connect(wanted.url, player, wanted.follows);
        }),
      );
      break;
    }
    case 'follow':
      for (const { webSocket } of launchers) {
        await answered(webSocket, '42', '["followPresence","launcher",{}]');
      }
      break;
    case 'change':
      return change(wanted);
    case 'disconnect':
      for (const { webSocket } of launchers.splice(0)) webSocket.close();
  }
  return { frames, friends, latencies: [] };
});

async function change({ perSecond, seconds }: { perSecond: number; seconds: number }) {
  setAt = new Map();
  latencies = [];
  const count = Math.round(perSecond * seconds);
  for (let at = 0; at < count; at++) {
    await setTimeout(1000 / perSecond);
    const { webSocket } = launchers[(at * 7_919) % launchers.length] ?? {};
    const text = `change ${at}`;
    setAt.set(text, performance.now());
    webSocket?.send(`421["setStatus","launcher",${JSON.stringify({ status: 'busy', text })}]`);
  }
  await setTimeout(1_500);
  return { frames, friends, latencies };
}

function connect(
  url: string,
  { wallet, launcherJwt }: { wallet: string; launcherJwt: string },
  follows: boolean,
): Promise<Launcher> {
  const webSocket = new WebSocket(`${url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`);
  return new Promise((resolve, reject) => {
    webSocket.onerror = () => reject(new Error('a WebSocket failed'));
    webSocket.onmessage = ({ data }) => {
      const frame = String(data);
      if (frame.startsWith('0')) webSocket.send(`40${JSON.stringify({ launcherJwt })}`);
      else if (frame === '2') webSocket.send('3');
      else if (frame.startsWith('44')) reject(new Error(frame));
      else if (frame.startsWith('42["friend-presence patched"')) received(frame);
      else if (frame.startsWith('40')) {
        const launcher = { webSocket, wallet };
        if (!follows) resolve(launcher);
        else
          answered(webSocket, '42', '["followPresence","launcher",{}]').then(() => resolve(launcher), reject);
      }
    };
  });
}

/** Sends a call with this number, and waits for the answer. */
function answered(webSocket: WebSocket, number: string, call: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const listen = ({ data }: MessageEvent) => {
      const frame = String(data);
      if (!frame.startsWith(`43${number}[`)) return;
      webSocket.removeEventListener('message', listen);
      if (frame.startsWith(`43${number}[null`)) resolve();
      else reject(new Error(frame));
    };
    webSocket.addEventListener('message', listen);
    webSocket.send(`42${number}${call}`);
  });
}

const patched = z
  .tuple([z.string(), z.object({ friends: z.array(z.object({ text: z.string().optional() })) })])
  .rest(z.unknown());

function received(frame: string): void {
  const now = performance.now();
  frames++;
  const [, record] = patched.parse(JSON.parse(frame.slice(2)));
  friends += record.friends.length;
  for (const { text } of record.friends) {
    const at = text === undefined ? undefined : setAt.get(text);
    if (at !== undefined) latencies.push(now - at);
  }
}
