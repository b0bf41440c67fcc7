import { z } from 'zod';
import type { Benchmark } from '../benchmark.ts';
import { SocketLoad } from '../load.ts';
import { compare } from '../rounds.ts';
import { type ServerProcess, startGantry, startPeer } from '../server-process.ts';
import { makeWorld } from '../world.ts';

const wanted = 10_000;
const memoryProbe = ['--expose-gc', '--import', new URL('../memory-probe.ts', import.meta.url).href];
const residentBytes = z.number();
/** Files a server holds open beside its sockets. */
const otherFiles = 200;

export const sockets: Benchmark = {
  name: 'sockets',
  summary: 'memory of an idle socket, ours authenticated, against bare Socket.IO',
  async run(settings) {
    const count = Math.min(wanted, openFileLimit() - otherFiles);
    if (count < wanted) settings.say(`sockets: scaled down to ${count}, which is what ulimit -n allows`);
    await using world = await makeWorld(count);
    await using load = new SocketLoad();
    const tokens = world.players.map((player) => player.launcherJwt);
    /** A new server each time: one that has had the sockets before keeps some of their memory. Nothing is warm. */
    const bytesPerSocket = async (starting: Promise<ServerProcess>) => {
      await using server = await starting;
      const before = await server.child.ask('memory', residentBytes);
      await load.connect(server.url, tokens);
      const after = await server.child.ask('memory', residentBytes);
      await load.disconnect();
      return (after - before) / count;
    };
    return [
      await compare(
        {
          name: 'sockets',
          variant: `${count.toLocaleString('en-US')} sockets`,
          unit: 'bytes/socket',
          aim: '≤ 1.5',
        },
        {
          ours: () => bytesPerSocket(startGantry(world, settings, memoryProbe)),
          against: () => bytesPerSocket(startPeer('socketio-echo', { nodeOptions: memoryProbe })),
        },
        { ...settings, rounds: Math.min(settings.rounds, 3), warmUp: false },
      ),
    ];
  },
};

const processReport = z.object({
  userLimits: z.object({ open_files: z.object({ soft: z.union([z.number(), z.literal('unlimited')]) }) }),
});

/** What `ulimit -n` allows a process; Node has raised it as far as it may. Without limits: infinite. */
function openFileLimit(): number {
  const report = processReport.safeParse(process.report.getReport());
  const soft = report.data?.userLimits.open_files.soft;
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY;
}
