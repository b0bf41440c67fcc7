import { Client } from 'pg';
import { expect, test } from 'vitest';
import { defaultRetention } from '../../../src/core/events/retention.ts';
import { PostgresDatabase } from '../../../src/engines/postgres/postgres-database.ts';
import { registerGame } from '../../../src/features/games/commands.ts';
import { createChannel } from '../../../src/features/messages/channel-commands.ts';
import { sendMessage } from '../../../src/features/messages/message-commands.ts';
import { startSession } from '../../../src/features/sessions/commands.ts';
import { domain } from '../../../src/server/declarations/domain.ts';
import { noPostgres } from '../../support/postgres.ts';
import { freshSchema } from '../../support/postgres-schema.ts';
import { randomWallet } from '../../support/server.ts';

const maxCount = 200;
const batches = 40;
const perBatch = 100;

test.skipIf(noPostgres !== null)(
  'trimming a busy stream does not scan the index entries of deleted events',
  async () => {
    await using database = await freshSchema();
    const client = new Client({ connectionString: database.url });
    await client.connect();
    try {
      // Deleted rows stay in the index until then, for minutes under a heavy write load.
      await client.query('ALTER TABLE events SET (autovacuum_enabled = off)');
      const retention = { ...defaultRetention, maxCount };
      const db = await PostgresDatabase.open(database.url, domain, { retention });
      const secret = { hash: 'h', sealedMd5: '', sealedSecret: '' };
      const { id: gameId } = await db.write(registerGame, { name: 'One' }, secret);
      const [sender, other] = [randomWallet(), randomWallet()].map((wallet) => ({ gameId, wallet }));
      if (!sender || !other) throw new Error('no players');
      for (const player of [sender, other]) await db.write(startSession, player, 1e9);
      const { _id: channel } = await db.write(createChannel, sender, [other.wallet]);
      // A transaction that stays open: later deletions stay visible to someone.
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
      await client.query('SELECT 1');
      for (let batch = 0; batch < batches; batch++) {
        await Promise.all(
          Array.from({ length: perBatch }, (_, n) => db.write(sendMessage, sender, channel, `${batch} ${n}`)),
        );
      }
      await db.close(); // which makes PostgreSQL count the connection's reads
      await client.query('COMMIT');
      const { rows } = await client.query<{ read: string; kept: string }>(
        `SELECT idx_tup_read AS read, (SELECT count(*) FROM events AS e JOIN streams AS s ON s.id = e.stream_id
            WHERE s.name = $1) AS kept FROM pg_stat_user_indexes WHERE indexrelname = 'events_pkey'`,
        [`channel:${channel}`],
      );
      const sent = batches * perBatch;
      expect(Number(rows[0]?.kept)).toBeGreaterThanOrEqual(maxCount);
      expect(Number(rows[0]?.kept)).toBeLessThan(maxCount * 2);
      expect(Number(rows[0]?.read)).toBeGreaterThan(sent / 2);
      expect(Number(rows[0]?.read)).toBeLessThan(sent * 3);
    } finally {
      await client.end();
    }
  },
);
