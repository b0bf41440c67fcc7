import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import type { Benchmark, Row } from '../benchmark.ts';
import { Child } from '../child.ts';
import { fillFriendsBySql } from '../fill-by-sql.ts';
import { useOf } from '../process-use.ts';
import { type Figure, quantile, toRow } from '../rounds.ts';
import { type ServerProcess, startGantry } from '../server-process.ts';
import { makeWorld } from '../world.ts';

const friendCount = 200;
/** Changes of 10,000 launchers at 10 an hour each: the deliveries are the same with fewer launchers. */
const changesPerSecond = (10_000 * 10) / 3_600;
/** So that 10,000 are back within a minute, the last ones included. */
const connectsPerSecond = 10_000 / 58;
/** What is left to send after the last has connected. */
const afterConnectMs = 2_000;
/** Several collections of the old generation, some 20 s apart, which by chance would be in one window or the other. */
const steadySeconds = 120;
const quickSteadySeconds = 10;
/** The first changes, while their code is compiled. */
const warmUpSeconds = 10;
/** Far fewer than there are changes: what the server writes by itself on a machine that is busy. */
const maxOtherCommits = 20;

const memoryProbe = ['--import', new URL('../memory-probe.ts', import.meta.url).href];
const adminToken = 'benchmark-of-friends-admin-token';
const loadAnswer = z.object({
  frames: z.number(),
  friends: z.number(),
  retries: z.number(),
  closed: z.number(),
  latencies: z.array(z.number()),
});

/** Presence of friends; `BENCH_LAUNCHERS=10000` is its full size. Each figure is compared with its limit. */
export const friends: Benchmark = {
  name: 'friends',
  summary: `presence of launchers with ${friendCount} friends each, against limits: memory, CPU, p99 of a change`,
  async run({ isQuick, say, ...settings }) {
    const count = Number(process.env.BENCH_LAUNCHERS ?? (isQuick ? 1_000 : 2_000));
    say(`friends: ${count} launchers with ${friendCount} friends each`);
    await using world = await makeWorld(count, undefined, {}, { kind: 'launcher' });
    fillFriendsBySql(
      world.dataDirectory,
      world.players.map(({ wallet }) => wallet),
      friendCount,
    );
    await using server = await startGantry(world, settings, memoryProbe, { ADMIN_TOKEN: adminToken });
    await using load = new Child(new URL('../loads/presence-load.ts', import.meta.url));
    const { url } = server;
    const players = world.players.map(({ wallet, launcherJwt }) => ({ wallet, launcherJwt }));
    const seconds = count / connectsPerSecond;
    const memory = () => server.child.ask('heap', z.number());
    const connect = (follows: boolean) =>
      cpuOf(server, async () => {
        const connected = await load.ask({ kind: 'connect', url, players, seconds, follows }, loadAnswer);
        await setTimeout(afterConnectMs);
        return connected;
      });
    const disconnect = async () => {
      await load.ask({ kind: 'disconnect' }, loadAnswer);
      await setTimeout(3_000);
    };

    await connect(true); // a warm-up, which also brings the database into memory
    await disconnect();
    const plain = await connect(false);
    const before = await memory();
    await load.ask({ kind: 'follow' }, loadAnswer);
    const perLauncher = ((await memory()) - before) / count;

    const idleSeconds = isQuick ? quickSteadySeconds : steadySeconds;
    const commitsBeforeIdle = await commits(server);
    const idle = await cpuOf(server, () => setTimeout(idleSeconds * 1000));
    const change = (seconds: number) =>
      load.ask({ kind: 'change', perSecond: changesPerSecond, seconds }, loadAnswer);
    const commitsBefore = await commits(server);
    await change(warmUpSeconds);
    const steady = await cpuOf(server, () => change(idleSeconds));
    const written = (await commits(server)) - commitsBefore;
    const alone = commitsBefore - commitsBeforeIdle; // arrivals that were not recorded yet
    if (written > alone + maxOtherCommits) throw new Error(`presence caused ${written - alone} commits`);
    const { latencies, ...delivered } = steady.result;
    say(
      `friends: ${delivered.friends} changes of friends in ${delivered.frames} messages, ${written} commits`,
    );
    await disconnect();
    const back = await connect(true);
    say(
      `friends: all back: ${JSON.stringify({ seconds: back.seconds, ...back.result, latencies: undefined })}`,
    );
    if (count === 10_000 && back.seconds - afterConnectMs / 1000 > 60)
      throw new Error('not all were back within a minute');

    const against = (variant: string, unit: string, ours: number, limit: number): Row => {
      const figure: Figure = { name: 'friends', variant, unit, aim: '≤ 1' };
      return toRow(figure, [ours], [limit]);
    };
    return [
      against('memory of following', 'bytes/launcher', perLauncher, 2_048),
      against('a change, p99', 'ms', quantile(latencies, 0.99), 1_000),
      against('28 changes a second', '% of a core', (steady.cores - idle.cores) * 100, 10),
      against('10,000 back a minute', '% of a core', (back.cores - plain.cores) * 100, 35),
    ];
  },
};

/** The processor time of a server while something happens, in cores. */
async function cpuOf<Result>({ child }: ServerProcess, work: () => Promise<Result>) {
  const startedAt = performance.now();
  const before = useOf(child.pid)?.cpuSeconds ?? Number.NaN;
  const result = await work();
  const seconds = (performance.now() - startedAt) / 1000;
  return { result, seconds, cores: ((useOf(child.pid)?.cpuSeconds ?? Number.NaN) - before) / seconds };
}

/** The number of commits of a server so far. */
async function commits({ url }: ServerProcess): Promise<number> {
  const response = await fetch(`${url}/metrics`, { headers: { Authorization: `Bearer ${adminToken}` } });
  const [, count] = /^gantry_commit_duration_seconds_count (\d+)/m.exec(await response.text()) ?? [];
  return Number(count);
}
