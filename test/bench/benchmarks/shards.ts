import { createHash } from 'node:crypto';
import { streamOf } from '../../../src/core/events/stream.ts';
import type { Owner } from '../../../src/core/schemas/owner.ts';
import { PostgresDatabase } from '../../../src/engines/postgres/postgres-database.ts';
import { setScore } from '../../../src/features/scores/commands.ts';
import { domain } from '../../../src/server/declarations/domain.ts';
import type { PostgresServer } from '../../support/postgres-server.ts';
import { type Benchmark, type Row, roundSeconds } from '../benchmark.ts';
import { newPlayers } from '../new-players.ts';
import { useOfAll } from '../process-use.ts';
import { type Figure, interleave } from '../rounds.ts';
import { startPostgres } from '../start-postgres.ts';
import { type Throughput, throughputRow } from '../throughput.ts';
import { type Mover, movesOnOne, movesOnTwo } from '../two-phase-moves.ts';

const playerCount = 200;
const slots = 64;
/** Connections, or pairs of them, that commit batches of crossing commands one after the other. */
const moverCount = 4;
const batchSizes = [1, 8];
const variants = 2 + batchSizes.length;

/** Which of two servers has a player: the lower or the upper half of the slots. */
function shardOf(wallet: string): 0 | 1 {
  const slot = (createHash('sha256').update(wallet).digest()[0] ?? 0) % slots;
  return slot < slots / 2 ? 0 : 1;
}

/** A node on a server, with a game and players; their wallets are the same on all servers. */
interface Node {
  db: PostgresDatabase;
  players: readonly Owner[];
}

async function fill(url: string): Promise<Node> {
  const db = await PostgresDatabase.open(url, domain);
  const { players } = await newPlayers(db, playerCount);
  await Promise.all(players.map((player) => db.write(setScore, player, 1)));
  return { db, players };
}

/** CPU time so far of this process, which is the node, and of PostgreSQL, in seconds. */
function cpuSeconds(servers: readonly PostgresServer[]): number {
  const { user, system } = process.cpuUsage();
  const ofServers = servers.map(
    ({ pid }) => (pid === undefined ? null : useOfAll(pid))?.cpuSeconds ?? Number.NaN,
  );
  return ofServers.reduce((sum, one) => sum + one, (user + system) / 1e6);
}

async function measure(
  servers: readonly PostgresServer[],
  seconds: number,
  callers: readonly ((n: number) => Promise<number>)[],
): Promise<Throughput> {
  const [cpuBefore, from] = [cpuSeconds(servers), performance.now()];
  let count = 0;
  const work = async (call: (n: number) => Promise<number>) => {
    for (let n = 0; performance.now() < from + seconds * 1000; n++) {
      const done = await call(n);
      count += done; // not `+= await`, which reads the count before it waits
    }
  };
  await Promise.all(callers.map(work));
  const cpuMicroseconds = ((cpuSeconds(servers) - cpuBefore) * 1e6) / count;
  return { count, perSecond: (count * 1000) / (performance.now() - from), cpuMicroseconds };
}

export const shards: Benchmark = {
  name: 'shards',
  summary:
    "scores on two PostgreSQL servers by the player's slot, of one; commands that cross, with two-phase commit",
  async run(settings) {
    const twoPhase = { max_prepared_transactions: '64' };
    await using one = await startPostgres(twoPhase);
    await using left = await startPostgres(twoPhase);
    await using right = await startPostgres(twoPhase);
    const [whole, ...halves] = await Promise.all([one, left, right].map((server) => fill(server.url())));
    if (!whole) throw new Error('there is no node');
    const second = { db: await PostgresDatabase.open(one.url(), domain), players: whole.players };
    const seconds = roundSeconds(settings, variants);
    const rows: Row[] = [];
    const add = async (
      figure: Omit<Figure, 'name'>,
      ours: () => Promise<Throughput>,
      against: () => Promise<Throughput>,
    ) => {
      const of = { name: 'shards', ...figure };
      const taken = await interleave<Throughput>(of, { ours, against }, settings);
      rows.push(throughputRow(of, taken.ours, taken.against));
    };

    let score = 1;
    const callers = (nodeOf: (wallet: string, caller: number) => Node | undefined) =>
      Array.from({ length: 128 }, (_, caller) => async (n: number) => {
        const at = (caller + n * 7) % playerCount;
        const node = nodeOf(whole.players[at]?.wallet ?? '', caller);
        const player = node?.players[at];
        if (player) await node.db.write(setScore, player, ++score);
        return 1;
      });
    const bySlot = () =>
      measure(
        [left, right],
        seconds,
        callers((wallet) => halves[shardOf(wallet)]),
      );
    const scores = { unit: 'writes/s', aim: '' };
    await add({ ...scores, variant: 'scores, two servers, of one with a node' }, bySlot, () =>
      measure(
        [one],
        seconds,
        callers(() => whole),
      ),
    );
    await add({ ...scores, variant: 'scores, two servers, of one with two nodes' }, bySlot, () =>
      measure(
        [one],
        seconds,
        callers((_, caller) => [whole, second][caller % 2]),
      ),
    );

    for (const size of batchSizes) {
      const moving =
        (mover: Mover, at: number, players: readonly (readonly Owner[])[]) => async (n: number) => {
          const pairs = Array.from({ length: size }, (_, pair) => {
            const place = at * 50 + ((n * size + pair) % 25);
            const [giver, taker] = [players[0]?.[place], players[1]?.[place + 25]].map((player) =>
              player ? streamOf.player(player.gameId, player.wallet) : '',
            );
            return [giver ?? '', taker ?? ''] as const;
          });
          await mover.move(pairs);
          return size;
        };
      await using stack = new AsyncDisposableStack();
      const lanes = Array.from({ length: moverCount }, (_, at) => 100 + at);
      const crossing = await Promise.all(lanes.map((lane) => movesOnTwo([left.url(), right.url()], lane)));
      const within = await Promise.all(lanes.map((lane) => movesOnOne(one.url(), lane)));
      for (const mover of [...crossing, ...within]) stack.use(mover);
      const ofHalves = halves.map(({ players }) => players);
      await add(
        { variant: `commands that cross, ${size} a batch, of one server`, unit: 'commands/s', aim: '' },
        () =>
          measure(
            [left, right],
            seconds,
            crossing.map((mover, at) => moving(mover, at, ofHalves)),
          ),
        () =>
          measure(
            [one],
            seconds,
            within.map((mover, at) => moving(mover, at, [whole.players, whole.players])),
          ),
      );
    }
    await Promise.all([whole, second, ...halves].map(({ db }) => db.close()));
    return rows;
  },
};
