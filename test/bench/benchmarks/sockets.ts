import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import type { Benchmark } from '../benchmark.ts';
import { SocketLoad } from '../load.ts';
import { compare } from '../rounds.ts';
import { type ServerProcess, startGantry, startPeer } from '../server-process.ts';
import { makeWorld } from '../world.ts';

const wanted = 10_000;
const memoryProbe = ['--import', new URL('../memory-probe.ts', import.meta.url).href];
const residentBytes = z.number();
/** The share connected before the first measurement: what a server loads and compiles for them is not a socket's. */
const firstShare = 0.1;
/** How long the sockets are held to see whether any is dropped, and in a quick run. */
const holdSeconds = 120;
const quickRunHoldSeconds = 10;
/** Files a server holds open besides its sockets. */
const otherFiles = 200;

export const sockets: Benchmark = {
  name: 'sockets',
  summary: 'memory of an idle socket, ours authenticated, against bare Socket.IO, and whether any is dropped',
  async run(settings) {
    const count = Math.min(wanted, openFileLimit() - otherFiles);
    if (count < wanted) settings.say(`sockets: scaled down to ${count}, which is what ulimit -n allows`);
    const first = Math.ceil(count * firstShare);
    await using world = await makeWorld(count);
    await using firstLoad = new SocketLoad();
    await using load = new SocketLoad();
    const tokens = world.players.map((player) => player.launcherJwt);
    /** A new server each time: one that has had the sockets before keeps some of their memory. No warm-up. */
    const bytesPerSocket = async (starting: Promise<ServerProcess>) => {
      await using server = await starting;
      const empty = await server.child.ask('memory', residentBytes);
      await firstLoad.connect(server, tokens.slice(0, first));
      const before = await server.child.ask('memory', residentBytes);
      await load.connect(server, tokens.slice(first));
      const after = await server.child.ask('memory', residentBytes);
      await firstLoad.disconnect();
      await load.disconnect();
      settings.say(
        `sockets: RSS ${megabytes(empty)} empty, ${megabytes(before)} with ${first} sockets, ${megabytes(after)} with ${count}`,
      );
      return (after - before) / (count - first);
    };
    const hold = async (seconds: number) => {
      await using server = await startGantry(world, settings);
      await load.connect(server, tokens);
      await setTimeout(seconds * 1000);
      const dropped = count - (await load.connected());
      await load.disconnect();
      settings.say(`sockets: ${count} held for ${seconds} s, ${dropped} dropped`);
      if (dropped > 0) throw new Error(`${dropped} of ${count} idle sockets were dropped in ${seconds} s`);
    };
    const rows = [
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
    await hold(settings.loadSeconds < 30 ? quickRunHoldSeconds : holdSeconds);
    return rows;
  },
};

function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

const processReport = z.object({
  userLimits: z.object({ open_files: z.object({ soft: z.union([z.number(), z.literal('unlimited')]) }) }),
});

/** The open file limit of a process (`ulimit -n`), which Node has raised to its maximum. Without limits: infinite. */
function openFileLimit(): number {
  const report = processReport.safeParse(process.report.getReport());
  const soft = report.data?.userLimits.open_files.soft;
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY;
}
