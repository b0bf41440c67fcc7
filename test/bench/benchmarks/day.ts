import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setInterval } from 'node:timers/promises';
import { createChannel } from '../../../src/features/messages/channel-commands.ts';
import type { Benchmark, Row, Settings } from '../benchmark.ts';
import { Child } from '../child.ts';
import { type Played, played } from '../day/jobs.ts';
import { byBucket, drawLatencies } from '../day/picture.ts';
import { done } from '../loads/jobs.ts';
import { type ProcessUse, useOf } from '../process-use.ts';
import { median, quantile } from '../rounds.ts';
import { startGantry } from '../server-process.ts';
import { makeWorld } from '../world.ts';

/** How much of a day is played. */
interface Size {
  launchers: number;
  players: number;
  followers: number;
  /** Message channels of this many members, and how many of each. */
  channels: readonly { members: number; count: number }[];
  seconds: number;
  /** This many launchers reconnect at once, at these seconds. */
  stormOf: number;
  stormsAt: readonly number[];
}

const whole: Size = {
  launchers: 10_000,
  players: 1_000,
  followers: 100,
  channels: [
    { members: 2, count: 300 },
    { members: 10, count: 60 },
    { members: 50, count: 20 },
  ],
  seconds: 600,
  stormOf: 2_000,
  stormsAt: [200, 400],
};
const quick: Size = { ...whole, launchers: 2_000, players: 200, seconds: 60, stormOf: 500, stormsAt: [30] };

const bucketSeconds = 10;
/** What players perceive as immediate: the limits that the figures are compared with, in milliseconds. */
const bounds = { callP99: 50, deliveryP99: 100, stormMs: 10_000 };
/** The share of the day that is compared at its beginning, after the warm-up, and at its end. */
const part = 1 / 4;
const warmUpSeconds = 20;

export const day: Benchmark = {
  name: 'day',
  summary:
    '10,000 launchers, 1,000 of them playing for ten minutes, 2,000 coming back at once: latency, memory and drift',
  async run(settings) {
    const size = settings.isQuick ? quick : whole;
    const channels: { id: string; members: number[] }[] = [];
    await using world = await makeWorld(size.launchers, async (db, { players }) => {
      let next = 0;
      for (const { members, count } of size.channels) {
        for (let at = 0; at < count; at++) {
          const places = Array.from({ length: members }, () => next++ % size.players);
          const [creator, ...others] = places.map((place) => players[place]);
          if (!creator) throw new Error('a channel without members');
          const wallets = others.flatMap((one) => (one ? [one.wallet] : []));
          channels.push({ id: (await db.write(createChannel, creator, wallets))._id, members: places });
        }
      }
    });
    await using server = await startGantry(world, settings);
    await using load = new Child(new URL('../day/day-load.ts', import.meta.url));
    settings.say(`day: ${size.launchers} launchers connect`);
    const tokens = world.players.map(({ launcherJwt }) => launcherJwt);
    await load.ask({ kind: 'connect', url: server.url, tokens, followers: size.followers }, done);
    settings.say(`day: ${size.players} play for ${size.seconds} s`);
    const { gameId } = world;
    const { players, seconds } = size;
    const storms = size.stormsAt.map((at) => ({ at, count: size.stormOf }));
    const stop = new AbortController();
    const uses = useOverTime(server.child.pid, stop.signal);
    const result = await load.ask({ kind: 'play', seconds, gameId, players, channels, storms }, played);
    stop.abort();
    await load.ask({ kind: 'end' }, done);
    return rowsOf(size, result, await uses, settings);
  },
};

/** Every `bucketSeconds`, from the beginning on. */
async function useOverTime(pid: number, signal: AbortSignal): Promise<ProcessUse[]> {
  const uses: ProcessUse[] = [];
  const note = () => {
    const use = useOf(pid);
    if (use) uses.push(use);
  };
  note();
  try {
    for await (const _ of setInterval(bucketSeconds * 1000, undefined, { signal })) note();
  } catch {
    // over
  }
  return uses;
}

function rowsOf(size: Size, result: Played, uses: readonly ProcessUse[], settings: Settings): Row[] {
  const { samples, stormMs, expected, arrived, failures } = result;
  const failed = Object.values(failures).reduce((total, count) => total + count, 0);
  settings.say(
    `day: ${samples.filter(({ kind }) => kind === 'call').length} calls, ${arrived} of ${expected} deliveries`,
  );
  if (failed > 0 || arrived !== expected) {
    throw new Error(
      `${failed} calls failed ${JSON.stringify(failures)}; ${arrived} of ${expected} deliveries arrived`,
    );
  }
  drawPicture(size, result, settings);
  const ms = (kind: 'call' | 'delivery', from = 0, to = Number.POSITIVE_INFINITY) =>
    samples.flatMap((one) => (one.kind === kind && one.at >= from && one.at < to ? [one.ms] : []));
  const length = size.seconds * part;
  const [early, late] = [
    ms('call', warmUpSeconds, warmUpSeconds + length),
    ms('call', size.seconds - length),
  ].map((taken) => quantile(taken, 0.5));
  const row = (variant: string, ours: number, against: number, unit: string, aim: string): Row => ({
    name: 'day',
    variant,
    ratio: ours / against,
    ours,
    against,
    unit,
    spread: 0,
    rounds: 1,
    aim,
  });
  const rows = [
    row('calls, p50', quantile(ms('call'), 0.5), bounds.callP99, 'ms', ''),
    row('calls, p99', quantile(ms('call'), 0.99), bounds.callP99, 'ms', '≤ 1'),
    row('deliveries, p99', quantile(ms('delivery'), 0.99), bounds.deliveryP99, 'ms', '≤ 1'),
    row(`${size.stormOf} come back`, Math.max(...stormMs), bounds.stormMs, 'ms', '≤ 1'),
    row('calls, p50, end / begin', late ?? Number.NaN, early ?? Number.NaN, 'ms', '≤ 1.2'),
  ];
  return [...rows, ...rowsOfUse(uses, row)];
}

/**
 * Memory and CPU time of the last part of the day and of the first, after the warm-up; none where the system does not
 * report them. Memory is the median of each part: between two collections of garbage it grows by a third.
 */
function rowsOfUse(
  uses: readonly ProcessUse[],
  row: (variant: string, ours: number, against: number, unit: string, aim: string) => Row,
): Row[] {
  const buckets = Math.max(1, Math.floor((uses.length - 1) * part));
  const skipped = Math.min(uses.length - 1, Math.ceil(warmUpSeconds / bucketSeconds));
  const [early, late] = [uses.slice(skipped, skipped + buckets + 1), uses.slice(-buckets - 1)];
  const cores = (taken: readonly ProcessUse[]) => {
    const [from, to] = [taken[0], taken.at(-1)];
    return from && to ? (to.cpuSeconds - from.cpuSeconds) / ((taken.length - 1) * bucketSeconds) : Number.NaN;
  };
  const mebibytes = (taken: readonly ProcessUse[]) =>
    median(taken.map(({ residentBytes }) => residentBytes)) / 1024 / 1024;
  if (early.length < 2) return [];
  return [
    row('memory, end / begin', mebibytes(late), mebibytes(early), 'MiB', '≤ 1.2'),
    row('processors, end / begin', cores(late), cores(early), 'cores', '≤ 1.2'),
  ];
}

/** Written where `--pictures` says. */
function drawPicture(size: Size, { samples }: Played, { pictures }: Settings): void {
  if (pictures === undefined) return;
  const over = { seconds: size.seconds, bucketSeconds };
  const lines = [
    { name: 'calls, p50', colour: '#2f81c7', values: byBucket(samples, 'call', 0.5, over) },
    { name: 'calls, p99', colour: '#c9621b', values: byBucket(samples, 'call', 0.99, over) },
    { name: 'deliveries, p99', colour: '#2e9a5f', values: byBucket(samples, 'delivery', 0.99, over) },
  ];
  const picture = drawLatencies(lines, { seconds: size.seconds, marks: size.stormsAt });
  writeFileSync(join(pictures, 'day.svg'), picture);
}
