import { type Benchmark, type Row, roundSeconds } from '../benchmark.ts';
import { HttpLoad } from '../load.ts';
import { scoreWrites } from '../score-writes.ts';
import { startGantry, startPeer } from '../server-process.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { compareThroughput } from '../throughput.ts';
import { makeWorld } from '../world.ts';

const connectionCounts = [32, 128];

export const scoresNaive: Benchmark = {
  name: 'scores-naive',
  summary: 'durable set-user-score over HTTP, against the same stack with a commit per write',
  async run(settings) {
    await using world = await makeWorld(Math.max(...connectionCounts));
    await using directory = await temporaryDirectory();
    await using ours = await startGantry(world, settings);
    await using naive = await startPeer('express-commit-per-write', { args: [directory.path] });
    await using load = new HttpLoad();
    const scripts = world.players.map((player) => scoreWrites(player, '/launcher/set-user-score'));
    const seconds = roundSeconds(settings, connectionCounts.length);
    const rows: Row[] = [];
    for (const connections of connectionCounts) {
      const figure = {
        name: 'scores-naive',
        variant: `${connections} connections`,
        unit: 'requests/s',
        aim: '≥ 3',
      };
      const job = { connections, seconds, scripts };
      const sides = {
        ours: () => load.requests(ours, job),
        against: () => load.requests(naive, job),
      };
      rows.push(await compareThroughput(figure, sides, settings));
    }
    return rows;
  },
};
