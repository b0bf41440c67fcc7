import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { answer } from './answer.ts';

/** Launchers that are cheap: plain WebSockets, with the few frames of Socket.IO that they need. */
interface Launcher {
  webSocket: WebSocket;
  wallet: string;
}

const player = z.object({ wallet: z.string(), launcherJwt: z.string() });
type Player = z.infer<typeof player>;

const job = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('connect'),
    url: z.string(),
    players: z.array(player),
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
/** Connections that were closed, and attempts that this made necessary. */
let closed = 0;
let retries = 0;

answer(async (message) => {
  const wanted = job.parse(message);
  frames = 0;
  friends = 0;
  closed = 0;
  retries = 0;
  switch (wanted.kind) {
    case 'connect': {
      const { players, seconds } = wanted;
      const startedAt = performance.now();
      launchers = await Promise.all(
        players.map(async (one, at) => {
          await setTimeout(startedAt + (at / players.length) * seconds * 1000 - performance.now());
          return connect(wanted.url, one, wanted.follows);
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
  return { frames, friends, retries, closed, latencies: [] };
});

async function change({ perSecond, seconds }: { perSecond: number; seconds: number }) {
  setAt = new Map();
  latencies = [];
  const count = Math.round(perSecond * seconds);
  for (let at = 0; at < count; at++) {
    await setTimeout(1000 / perSecond);
    const { webSocket } = launchers[Math.floor(Math.random() * launchers.length)] ?? {};
    const text = `change ${at}`;
    setAt.set(text, performance.now());
    webSocket?.send(`421["setStatus","launcher",${JSON.stringify({ status: 'busy', text })}]`);
  }
  await setTimeout(1_500);
  return { frames, friends, retries, closed, latencies };
}

/** As a client does, it tries again when it was not admitted in time: both processes share the machine. */
async function connect(url: string, player: Player, follows: boolean): Promise<Launcher> {
  for (;;) {
    const launcher = await attempt(url, player, follows);
    if (launcher) return launcher;
    retries++;
    await setTimeout(1_000 + Math.random() * 4_000);
  }
}

/** Null: the connection was closed before it was ready. */
function attempt(url: string, { wallet, launcherJwt }: Player, follows: boolean): Promise<Launcher | null> {
  const webSocket = new WebSocket(`${url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`);
  return new Promise((resolve, reject) => {
    webSocket.onclose = () => {
      closed++;
      resolve(null);
    };
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

/** Reads a message without parsing it: the clients of a full-size run would take longer than the server. */
function received(frame: string): void {
  const now = performance.now();
  frames++;
  friends += frame.split('"wallet":').length - 1;
  for (const [, text = ''] of frame.matchAll(/"text":"(change \d+)"/g)) {
    const at = setAt.get(text);
    if (at !== undefined) latencies.push(now - at);
  }
}
