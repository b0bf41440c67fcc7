import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';
import { quantile } from '../bench/rounds.ts';
import { innocentAddress, send } from './attacking.ts';
import type { Asked, Told, WhoPlays } from './innocent.ts';

/** The thread of an `Innocent`, which sets twenty scores a second and records which were acknowledged. */
if (!parentPort) throw new Error('the innocent player plays in a separate thread');
const port = parentPort;
const agent = new Agent({ keepAlive: true, localAddress: innocentAddress });
let who: WhoPlays = { url: '', launcherJwt: '' };
let failed = 0;
let last = 0;

port.on('message', async (requested: Asked) => {
  if ('become' in requested) {
    who = requested.become;
    failed = 0;
    last = 0;
    return;
  }
  const told: Told = 'play' in requested ? await play(requested.play) : { failed, lost: await lost() };
  port.postMessage(told);
});

async function play(seconds: number): Promise<Told> {
  const took: number[] = [];
  const over = performance.now() + seconds * 1000;
  while (performance.now() < over) {
    const begunAt = performance.now();
    const score = last + 1;
    const { status } = await call('/launcher/set-user-score', { score, nonce: 'only' });
    if (status === 200) last = score;
    else failed++;
    took.push(performance.now() - begunAt);
    await sleep(50);
  }
  return { p50: round(quantile(took, 0.5)), p99: round(quantile(took, 0.99)) };
}

/** 1 when the last acknowledged score is missing. */
async function lost(): Promise<number> {
  const { text } = await call('/launcher/get-user-score', { nonce: 'only' });
  return text.includes(`"score":${last},`) ? 0 : 1;
}

function call(path: string, input: object): Promise<{ status: number | 'none'; text: string }> {
  const { url, launcherJwt } = who;
  return send(url + path, Buffer.from(JSON.stringify({ launcherJwt, ...input })), {}, agent);
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10;
}
