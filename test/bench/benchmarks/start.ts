import type { Database } from '../../../src/core/storage/database.ts';
import { saveState } from '../../../src/states/commands.ts';
import type { Benchmark } from '../benchmark.ts';
import { compare } from '../rounds.ts';
import { startGantry, startPeer } from '../server-process.ts';
import { stateOfBytes } from '../state-of-bytes.ts';
import { fillBoard, inParts, makeWorld, type WorldPlayer } from '../world.ts';

export const start: Benchmark = {
  name: 'start',
  summary: 'from the start of the process until it takes calls, against bare Express',
  async run(settings) {
    await using empty = await makeWorld(1);
    settings.say('start: writing 1 GB');
    await using full = await makeWorld(1, fillGigabyte);
    const rows = [];
    for (const { variant, world } of [
      { variant: 'empty database', world: empty },
      { variant: '1 GB database', world: full },
    ]) {
      const startMs = async (starting: ReturnType<typeof startPeer>) => {
        await using server = await starting;
        return server.startMs;
      };
      const sides = {
        ours: () => startMs(startGantry(world, settings)),
        against: () => startMs(startPeer('express-echo')),
      };
      const figure = { name: 'start', variant, unit: 'ms', aim: '≤ 3' };
      rows.push(await compare(figure, sides, settings));
    }
    return rows;
  },
};

/** A board of 100,000 players, and states of the first player up to 1 GB in all. */
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
