import { type Benchmark, roundSeconds } from '../benchmark.ts';
import { leaderboardRead } from '../leaderboard-read.ts';
import { HttpLoad } from '../load.ts';
import type { HttpRequest } from '../loads/jobs.ts';
import { scoreWrites } from '../score-writes.ts';
import { startGantry } from '../server-process.ts';
import { compareThroughput } from '../throughput.ts';
import { fillBoard, makeWorld, type WorldPlayer } from '../world.ts';

const playerCount = 100_000;
const connections = 32;
const readsPerWrite = 4;

/** Both sides are ours; the question is how much the writes slow down the reads. */
export const boardMixed: Benchmark = {
  name: 'board-mixed',
  summary: '80 % reads of a board of 100,000 and 20 % score writes to it, against reads alone',
  async run(settings) {
    settings.say(`board-mixed: putting ${playerCount} players on a board`);
    await using world = await makeWorld(connections, (db, { gameId }) => fillBoard(db, gameId, playerCount));
    await using ours = await startGantry(world, settings);
    await using load = new HttpLoad();
    const read = leaderboardRead(world.gameId);
    const job = { connections, seconds: roundSeconds(settings, 1) };
    const mixed = world.players.map((player, at) => mixedScript(player, read, at));
    return [
      await compareThroughput(
        { name: 'board-mixed', variant: 'top 50 of 100,000', unit: 'requests/s', aim: '≥ 0.7' },
        {
          ours: () => load.requests(ours, { ...job, scripts: mixed }),
          against: () => load.requests(ours, { ...job, scripts: [[read]] }),
        },
        settings,
      ),
    ];
  },
};

/** Four reads per write; connections start at different places, or they would all write at once. */
function mixedScript(player: WorldPlayer, read: HttpRequest, startAt: number): HttpRequest[] {
  const script = scoreWrites(player, '/launcher/set-user-score').flatMap((write) => [
    write,
    ...Array.from({ length: readsPerWrite }, () => read),
  ]);
  const cut = startAt % script.length;
  return [...script.slice(cut), ...script.slice(0, cut)];
}
