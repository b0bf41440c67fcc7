import { streamOf } from '../../../src/core/events/stream.ts';
import { readEpoch } from '../../../src/features/events/queries.ts';
import { setScore } from '../../../src/features/scores/commands.ts';
import type { Benchmark, Row } from '../benchmark.ts';
import { SocketLoad } from '../load.ts';
import { type ServerProcess, startGantry, startPeer } from '../server-process.ts';
import { compareThroughput } from '../throughput.ts';
import { inParts, makeWorld } from '../world.ts';

const launcherCount = 2_000;
const quickLauncherCount = 500;
const eventCount = 50;

/** A storm of reconnecting launchers, as after a restart. */
export const connect: Benchmark = {
  name: 'connect',
  summary:
    'launchers that connect together and receive what they missed, against a bare Socket.IO connection',
  async run(settings) {
    const count = settings.isQuick ? quickLauncherCount : launcherCount;
    let epoch = '';
    await using world = await makeWorld(count, async (db, { players }) => {
      epoch = await db.read(readEpoch);
      for (let score = 1; score <= eventCount; score++) {
        await inParts(players, (owner) => db.write(setScore, owner, score));
      }
    });
    await using ours = await startGantry(world, settings);
    await using bare = await startPeer('socketio-echo');
    await using load = new SocketLoad();
    const rows: Row[] = [];
    for (const missedEvents of [0, eventCount]) {
      const launchers = world.players.map(({ gameId, wallet, launcherJwt }) => ({
        launcherJwt,
        cursors: missedEvents > 0 ? { [streamOf.player(gameId, wallet)]: { epoch, seq: 0 } } : null,
      }));
      const storm = async (server: ServerProcess, missed: number) => {
        const taken = await load.storm(server, { launchers, missedEvents: missed });
        await load.disconnect();
        return taken;
      };
      rows.push(
        await compareThroughput(
          {
            name: 'connect',
            variant: `${count} launchers, ${missedEvents} events each`,
            unit: 'sockets/s',
            aim: missedEvents === 0 ? '≥ 0.5' : '≥ 0.4',
          },
          { ours: () => storm(ours, missedEvents), against: () => storm(bare, 0) },
          settings,
        ),
      );
    }
    return rows;
  },
};
