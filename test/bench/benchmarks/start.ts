import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Database } from '../../../src/core/storage/database.ts';
import { saveState } from '../../../src/features/states/commands.ts';
import type { Benchmark, Row } from '../benchmark.ts';
import { type Figure, interleave, toRow } from '../rounds.ts';
import { startGantry, startPeer } from '../server-process.ts';
import { stateOfBytes } from '../state-of-bytes.ts';
import { fillBoard, inParts, makeWorld, type World, type WorldPlayer } from '../world.ts';

/** How long a player may wait who writes as soon as the server listens. */
const firstWriteMs = 50;

const source = new URL('../../../src/gantry.js', import.meta.url);
const packaged = new URL('../../../dist/package/gantry.js', import.meta.url);

interface Start {
  startMs: number;
  firstWriteMs: number;
}

export const start: Benchmark = {
  name: 'start',
  summary:
    'from the start of the process until it accepts calls, against bare Express, and the first write then',
  async run(settings) {
    settings.say('start: building the package');
    const build = fileURLToPath(new URL('../../../src/tools/build/package.ts', import.meta.url));
    await promisify(execFile)(process.execPath, [build]);
    await using empty = await makeWorld(1);
    settings.say('start: writing 1 GB');
    await using full = await makeWorld(1, fillGigabyte);
    const rows: Row[] = [];
    for (const { variant, world, program } of [
      { variant: 'empty database', world: empty, program: source },
      { variant: '1 GB database', world: full, program: source },
      { variant: 'as packaged', world: empty, program: packaged },
    ]) {
      const figure: Figure = { name: 'start', variant, unit: 'ms', aim: '≤ 2.5' };
      const sides = {
        async ours(): Promise<Start> {
          await using server = await startGantry(world, settings, [], {}, program);
          return { startMs: server.startMs, firstWriteMs: await setScoreMs(server.url, world) };
        },
        async against(): Promise<Start> {
          await using server = await startPeer('express-echo');
          return { startMs: server.startMs, firstWriteMs };
        },
      };
      const { ours, against } = await interleave(figure, sides, settings);
      const startsOf = (starts: readonly Start[]) => starts.map(({ startMs }) => startMs);
      const writesOf = (starts: readonly Start[]) => starts.map((one) => one.firstWriteMs);
      rows.push(toRow(figure, startsOf(ours), startsOf(against)));
      const first: Figure = { name: 'start', variant: `${variant}, first write`, unit: 'ms', aim: '≤ 1' };
      rows.push(toRow(first, writesOf(ours), writesOf(against)));
    }
    return rows;
  },
};

/** The latency of a score, as its caller sees it. */
async function setScoreMs(url: string, { players: [player] }: World): Promise<number> {
  const askedAt = performance.now();
  const answer = await fetch(`${url}/launcher/set-user-score`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ launcherJwt: player?.launcherJwt, score: 1 }),
  });
  const body = await answer.text();
  if (!answer.ok) throw new Error(`a score was refused: ${body}`);
  return performance.now() - askedAt;
}

/** A board of 100,000 players, and states of the first player up to 1 GB in total. */
async function fillGigabyte(db: Database, { gameId, players }: { gameId: string; players: WorldPlayer[] }) {
  await fillBoard(db, gameId, 100_000);
  const [owner] = players;
  if (!owner) throw new Error('a world without a player');
  const state = stateOfBytes(1024 * 1024);
  await inParts(
    Array.from({ length: 850 }, (_, index) => `slot ${index}`),
    (label) => db.write(saveState, owner, label, state, 'not asked for', Number.POSITIVE_INFINITY),
  );
}
