import { streamOf } from '../../../src/core/events/stream.ts';
import { PostgresDatabase } from '../../../src/engines/postgres/postgres-database.ts';
import { createChannel } from '../../../src/features/messages/channel-commands.ts';
import { sendMessage } from '../../../src/features/messages/message-commands.ts';
import { defaultBoardOf } from '../../../src/features/scores/board-rows.ts';
import { setScore } from '../../../src/features/scores/commands.ts';
import { readBoardPage, readPlace } from '../../../src/features/scores/leaderboard-queries.ts';
import { domain } from '../../../src/server/declarations/domain.ts';
import { type Benchmark, type Row, roundSeconds } from '../benchmark.ts';
import { createDatabase } from '../create-database.ts';
import { batchByHand, type ScoreWriter, transactionEach } from '../hand-written-writes.ts';
import { newPlayers } from '../new-players.ts';
import { compare } from '../rounds.ts';
import { startPostgres } from '../start-postgres.ts';

const playerCount = 200;
const variants = 7;

/** Calls of `one` per second, with the given concurrency. */
async function rate(
  seconds: number,
  inFlight: number,
  one: (n: number) => Promise<unknown>,
): Promise<number> {
  const from = performance.now();
  const until = from + seconds * 1000;
  let made = 0;
  const work = async () => {
    while (performance.now() < until) await one(made++);
  };
  await Promise.all(Array.from({ length: inFlight }, work));
  return made / ((performance.now() - from) / 1000);
}

export const postgres: Benchmark = {
  name: 'postgres',
  summary:
    'durable writes on PostgreSQL, against a batch by hand and a transaction a write; two nodes; reads',
  async run(settings) {
    await using server = await startPostgres();
    const ours = await createDatabase(server, 'ours');
    const nodes = await Promise.all([1, 2].map(() => PostgresDatabase.open(ours, domain)));
    const [db, other] = nodes;
    if (!db || !other) throw new Error('there is no node');
    const byHand = await createDatabase(server, 'hand');
    await (await PostgresDatabase.open(byHand, domain)).close();
    const { gameId, players } = await newPlayers(db, playerCount);
    const player = (n: number) => players[n % playerCount] ?? { gameId, wallet: '' };
    const { _id: channel } = await db.write(createChannel, player(0), [player(1).wallet]);
    let score = 0;
    const write = (node: PostgresDatabase) => (n: number) => node.write(setScore, player(n), ++score);
    const peer = (writer: ScoreWriter) => (n: number) => {
      const { wallet } = player(n);
      return writer.write({ stream: streamOf.player(gameId, wallet), wallet, gameId, score: ++score });
    };
    const seconds = roundSeconds(settings, variants);
    const rows: Row[] = [];
    const add = async (
      variant: string,
      aim: string,
      sides: { ours(): Promise<number>; against(): Promise<number> },
      unit = 'writes/s',
    ) => {
      rows.push(await compare({ name: 'postgres', variant, unit, aim }, sides, settings));
    };
    {
      await using hand = await batchByHand(byHand);
      for (const inFlight of [32, 128, 512]) {
        await add(`scores, ${inFlight} in flight, by hand`, inFlight === 128 ? '≥ 0.8' : '', {
          ours: () => rate(seconds, inFlight, write(db)),
          against: () => rate(seconds, inFlight, peer(hand)),
        });
      }
    }
    {
      await using each = await transactionEach(byHand);
      await add('scores, 128 in flight, a transaction each', '≥ 5', {
        ours: () => rate(seconds, 128, write(db)),
        against: () => rate(seconds, 128, peer(each)),
      });
    }
    await add('messages, 128 in one channel, of 15,000', '≥ 1', {
      ours: () => rate(seconds, 128, (n) => db.write(sendMessage, player(n % 2), channel, `message ${n}`)),
      against: async () => 15_000,
    });
    await add('scores, two nodes, of one', '≥ 1.5 with cores for it', {
      ours: async () => {
        const both = nodes.map((node) => rate(seconds, 128, write(node)));
        return (await Promise.all(both)).reduce((sum, one) => sum + one, 0);
      },
      against: () => rate(seconds, 128, write(db)),
    });
    await add(
      'a place, of the top 50',
      '',
      {
        ours: () => rate(seconds, 32, (n) => db.read(readPlace, defaultBoardOf(gameId), player(n).wallet)),
        against: () =>
          rate(seconds, 32, () => db.read(readBoardPage, defaultBoardOf(gameId), { limit: 50, skip: 0 })),
      },
      'reads/s',
    );
    await Promise.all(nodes.map((node) => node.close()));
    return rows;
  },
};
