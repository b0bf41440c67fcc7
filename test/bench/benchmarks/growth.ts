import { statfsSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dataFiles, readConfig } from '../../../src/config.ts';
import type { Database } from '../../../src/core/storage/database.ts';
import { openDatabase } from '../../../src/engines/sqlite/open-database.ts';
import { recordActivity } from '../../../src/features/activities/commands.ts';
import { createChannel } from '../../../src/features/messages/channel-commands.ts';
import { sendMessage } from '../../../src/features/messages/message-commands.ts';
import { setScore } from '../../../src/features/scores/commands.ts';
import { saveState } from '../../../src/features/states/commands.ts';
import { openStore } from '../../../src/server/open-store.ts';
import type { Benchmark, Row, Settings } from '../benchmark.ts';
import { jsonPost } from '../json-post.ts';
import { latencies } from '../latency.ts';
import type { HttpRequest } from '../loads/jobs.ts';
import { interleave, median, toRow } from '../rounds.ts';
import { startGantry } from '../server-process.ts';
import { stateOfBytes } from '../state-of-bytes.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { inParts, makeWorld, type WorldPlayer } from '../world.ts';

const playerCount = 1_000;
const firstSize = 10_000;
const laterSizes = [100_000, 1_000_000, 10_000_000];
/** The last size takes most of half an hour; a quick run skips it. */
const quickSize = 1_000_000;
/** The file, its log, and the size of a row of each kind in them, with some margin. */
const bytesPerRowOfEach = 3_500;
/** Rows written at a time, so that they need not all be in memory. */
const filledAtOnce = 100_000;
const requestsARound = 500;
const state = stateOfBytes(256);

interface Member extends WorldPlayer {
  /** This player's channel, with one other player in it. */
  channelId: string;
}

/** Rows are spread over few players, who store more than the quota. */
const unlimited = Number.POSITIVE_INFINITY;

/** One kind of write, which creates one row each time. */
interface Write {
  name: string;
  /** The nth of its kind, inserted through the server's store. */
  fill(store: Database, player: Member, n: number): Promise<unknown>;
  /** The nth of its kind, called as a game does. */
  request(player: Member, n: number): HttpRequest;
}

const writes: readonly Write[] = [
  {
    name: 'score',
    fill: (store, player, n) => store.write(setScore, player, n % 8_191),
    request: ({ launcherJwt }, n) => jsonPost('/launcher/set-user-score', { launcherJwt, score: n % 8_191 }),
  },
  {
    name: 'state',
    fill: (store, player, n) =>
      store.write(saveState, player, `slot ${n}`, state, 'not asked for', unlimited),
    request: ({ launcherJwt }, n) =>
      jsonPost('/launcher/set-state', { launcherJwt, label: `new slot ${n}`, state }),
  },
  {
    name: 'message',
    fill: (store, player, n) =>
      store.write(sendMessage, player, player.channelId, `This is message ${n}`, unlimited),
    request: ({ launcherJwt, channelId }, n) =>
      jsonPost('/launcher/send-channel-message', { launcherJwt, channelId, content: `This is message ${n}` }),
  },
  {
    name: 'activity',
    fill: (store, player, n) =>
      store.write(recordActivity, player, { label: `Reached level ${n}`, eventId: 'level' }),
    request: ({ launcherJwt }, n) =>
      jsonPost('/launcher/send-custom-activity', {
        launcherJwt,
        label: `Reached level ${n}`,
        eventId: 'level',
      }),
  },
];

export const growth: Benchmark = {
  name: 'growth',
  summary:
    'the median time of each write, and bytes a row, at 10^5, 10^6 and 10^7 rows of each, against 10^4',
  async run(settings) {
    const { say, rounds } = settings;
    const sizes = laterSizes.filter(
      (size) => (!settings.isQuick || size <= quickSize) && hasSpaceFor(size, say),
    );
    await using world = await makeWorld(playerCount);
    const members = await withChannels(world.dataDirectory, world.players);
    say(`growth: writing ${firstSize} rows of each kind`);
    const first = await grow(world.dataDirectory, members, 0, firstSize);
    await using smallDirectory = await temporaryDirectory();
    await cp(world.dataDirectory, join(smallDirectory.path, 'data'), { recursive: true });
    const small = { dataDirectory: join(smallDirectory.path, 'data') };

    const rows: Row[] = [];
    let from = firstSize;
    for (const size of sizes) {
      say(`growth: writing ${size - from} rows more of each kind`);
      const added = await grow(world.dataDirectory, members, from, size);
      say(`growth: measuring at ${size} rows of each kind`);
      await using ours = await startGantry(world, settings);
      await using against = await startGantry(small, settings);
      for (const [index, write] of writes.entries()) {
        let next = 0;
        const middle = async (url: string) => {
          const requests = Array.from({ length: requestsARound }, () => {
            const n = size + next++;
            return write.request(playerOf(members, n), n);
          });
          return median(await latencies(url, requests));
        };
        const latency = { name: 'growth', variant: `${write.name}, ${size} rows`, unit: 'ms', aim: '≤ 1.3' };
        const taken = await interleave(
          latency,
          { ours: () => middle(ours.url), against: () => middle(against.url) },
          { rounds, say },
        );
        rows.push(toRow(latency, taken.ours, taken.against));
        const perRow = (bytes: number[], count: number) => (bytes[index] ?? Number.NaN) / count;
        rows.push(
          toRow(
            { ...latency, variant: `${write.name}, ${size} rows, bytes`, unit: 'bytes/row' },
            [perRow(added, size - from)],
            [perRow(first, firstSize)],
          ),
        );
      }
      from = size;
    }
    return rows;
  },
};

function hasSpaceFor(size: number, say: Settings['say']): boolean {
  const { bavail, bsize } = statfsSync(tmpdir());
  const [wanted, free] = [size * bytesPerRowOfEach, bavail * bsize].map((bytes) => Math.round(bytes / 1e9));
  if (wanted === undefined || free === undefined || free >= wanted) return true;
  say(`growth: skipped ${size} rows: ${tmpdir()} needs ${wanted} GB, and ${free} GB are free`);
  return false;
}

/** A channel for every player with the next one. */
async function withChannels(dataDirectory: string, players: readonly WorldPlayer[]): Promise<Member[]> {
  const { db: store } = await openStore(readConfig({ DATA_DIR: dataDirectory }));
  const members = await inParts(players, async (player, index) => {
    const other = players[(index + 1) % players.length] ?? player;
    const { _id: channelId } = await store.write(createChannel, player, [other.wallet]);
    return { ...player, channelId };
  });
  await store.close();
  return members;
}

/** Inserts rows of each kind, and returns by how many bytes each kind grew the file, including events. */
async function grow(
  dataDirectory: string,
  members: readonly Member[],
  from: number,
  to: number,
): Promise<number[]> {
  const { db: store } = await openStore(readConfig({ DATA_DIR: dataDirectory }));
  const db = openDatabase(dataFiles(dataDirectory).database);
  const bytes = () => Number(db.pragma('page_count', { simple: true })) * pageBytes(db);
  const grown: number[] = [];
  for (const write of writes) {
    const before = bytes();
    for (let start = from; start < to; start += filledAtOnce) {
      const length = Math.min(filledAtOnce, to - start);
      const numbers = Array.from({ length }, (_, index) => start + index);
      await inParts(numbers, (n) => write.fill(store, playerOf(members, n), n));
    }
    grown.push(bytes() - before);
  }
  await store.close();
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
  return grown;
}

function pageBytes(db: ReturnType<typeof openDatabase>): number {
  return Number(db.pragma('page_size', { simple: true }));
}

/** The players in turn, but not in key order. */
function playerOf(members: readonly Member[], n: number): Member {
  const player = members[(n * 617) % members.length];
  if (!player) throw new Error('a world without players');
  return player;
}
