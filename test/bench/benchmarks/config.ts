import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import type { Benchmark, Row } from '../benchmark.ts';
import { Child } from '../child.ts';
import { useOf } from '../process-use.ts';
import { type Figure, median, toRow } from '../rounds.ts';
import { startGantry } from '../server-process.ts';
import { makeWorld } from '../world.ts';

const loadScript = new URL('../loads/config-load.ts', import.meta.url);
const adminToken = 'benchmark-of-config-admin-token';
const loadAnswer = z.object({ times: z.array(z.number()), spreadMs: z.number() });
const changed = z.object({ version: z.number() });

/** A change of a game's config, with values and with rules; each figure is compared with its limit. */
export const config: Benchmark = {
  name: 'config',
  summary:
    'a change of the config reaches 10,000 games, against limits: time, delay of other calls, reads a second',
  async run({ isQuick, rounds, say, ...settings }) {
    const count = isQuick ? 2_000 : 10_000;
    await using world = await makeWorld(count);
    await using server = await startGantry(world, settings, [], { ADMIN_TOKEN: adminToken });
    // Two processes: one takes longer to receive 40 MB than the server to send them.
    await using load = new Child(loadScript);
    await using otherLoad = new Child(loadScript);
    const { url } = server;
    const ask = async (job: object, other = job) => {
      const answers = await Promise.all([load.ask(job, loadAnswer), otherLoad.ask(other, loadAnswer)]);
      return { times: answers.flatMap(({ times }) => times), spreadMs: answers[0].spreadMs };
    };
    const tokens = world.players.map(({ launcherJwt }) => launcherJwt);
    const connect = { kind: 'connect', url };
    await ask(
      { ...connect, tokens: tokens.slice(0, count / 2) },
      { ...connect, tokens: tokens.slice(count / 2) },
    );
    say(`config: ${count} games are connected`);
    await setTimeout(2_000);

    let version = 0;
    const change = async (fields: object) => {
      const response = await fetch(`${url}/admin/set-config`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${adminToken}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({
          gameId: world.gameId,
          ifVersion: version,
          changes: [{ key: 'xp', ...fields }],
        }),
      });
      version = changed.parse(await response.json()).version;
    };
    const reachedMs: number[] = [];
    const delayMs: number[] = [];
    const cpuMs: number[] = [];
    const cpu = () => (useOf(server.child.pid)?.cpuSeconds ?? Number.NaN) * 1_000;
    for (let round = 0; round < rounds; round++) {
      const pings = pingUntilStopped(url);
      const cpuBefore = cpu();
      const sentAt = Date.now();
      await change({ value: 'x'.repeat(3_900) + round });
      const { times } = await ask({ kind: 'told', version });
      reachedMs.push(Math.max(...times) - sentAt);
      cpuMs.push(cpu() - cpuBefore);
      delayMs.push(await pings.stop());
    }
    await change({ value: 0, rules: [{ percent: 50, value: 1 }] });
    const { times, spreadMs } = await ask({ kind: 'read', version });
    const reads = mostWithinASecond(times);
    say(
      `config: reached all in ${reachedMs.join(', ')} ms; another call waited ${delayMs.map(Math.round)} ms at most`,
    );
    say(`config: all read within ${spreadMs} ms, at most ${reads} in a second`);

    const against = (variant: string, unit: string, ours: number, limit: number): Row => {
      const figure: Figure = { name: 'config', variant, unit, aim: '≤ 1' };
      return toRow(figure, [ours], [limit]);
    };
    return [
      against(`values at ${count} games`, 'ms', median(reachedMs), 1_000),
      against('its processor time, with those of other calls', 'ms', median(cpuMs), 1_000),
      against('another call meanwhile, longest', 'ms', median(delayMs), 250),
      against('reads after a change', 'reads/s', reads, 300),
    ];
  },
};

/** Calls one after the other; `stop` answers how long the slowest took, in milliseconds. */
function pingUntilStopped(url: string) {
  let isStopped = false;
  let slowest = 0;
  const pinging = (async () => {
    while (!isStopped) {
      const startedAt = performance.now();
      await (await fetch(`${url}/launcher/get-games`)).text();
      slowest = Math.max(slowest, performance.now() - startedAt);
    }
  })();
  return {
    async stop() {
      isStopped = true;
      await pinging;
      return slowest;
    },
  };
}

/** The most of these times, in milliseconds, that are within any second. */
function mostWithinASecond(times: readonly number[]): number {
  const sorted = times.toSorted((one, other) => one - other);
  let [most, from] = [0, 0];
  for (const [at, time] of sorted.entries()) {
    while ((sorted[from] ?? time) <= time - 1_000) from++;
    most = Math.max(most, at - from + 1);
  }
  return most;
}
