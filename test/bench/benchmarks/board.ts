import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Benchmark, roundSeconds } from '../benchmark.ts';
import { leaderboardRead } from '../leaderboard-read.ts';
import { HttpLoad } from '../load.ts';
import { startGantry, startPeer } from '../server-process.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { compareThroughput } from '../throughput.ts';
import { fillBoard, makeWorld } from '../world.ts';

const playerCount = 100_000;

export const board: Benchmark = {
  name: 'board',
  summary: 'top 50 of 100,000 players over HTTP, against bare Express sending the same bytes',
  async run(settings) {
    settings.say(`board: putting ${playerCount} players on a board`);
    await using world = await makeWorld(0, (db, { gameId }) => fillBoard(db, gameId, playerCount));
    await using ours = await startGantry(world, settings);
    const read = leaderboardRead(world.gameId);
    await using directory = await temporaryDirectory();
    const file = join(directory.path, 'board.json');
    await writeFile(file, await (await fetch(ours.url + read.path, read)).bytes());
    await using sameBytes = await startPeer('express-bytes', { args: [file] });
    await using load = new HttpLoad();
    const job = { connections: 32, seconds: roundSeconds(settings, 1), scripts: [[read]] };
    return [
      await compareThroughput(
        { name: 'board', variant: 'top 50 of 100,000', unit: 'requests/s', aim: '≥ 0.7' },
        {
          ours: () => load.requests(ours, job),
          against: () => load.requests(sameBytes, job),
        },
        settings,
      ),
    ];
  },
};
