import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { PostgresDatabase } from '../../src/engines/postgres/postgres-database.ts';
import { registerGame } from '../../src/features/games/commands.ts';
import { createChannel } from '../../src/features/messages/channel-commands.ts';
import { setScore } from '../../src/features/scores/commands.ts';
import { startSession } from '../../src/features/sessions/commands.ts';
import { domain } from '../../src/server/declarations/domain.ts';
import { noPostgres } from '../support/postgres.ts';
import { freshSchema } from '../support/postgres-schema.ts';
import { until } from '../support/until.ts';

const program = fileURLToPath(new URL('postgres-writing-node.ts', import.meta.url));
const pinnedNode = fileURLToPath(new URL('../../node_modules/.bin/node', import.meta.url));

test.skipIf(noPostgres !== null)(
  'a paused node whose lane was taken over by another changes nothing in it when it resumes',
  async () => {
    await using database = await freshSchema();
    const { url } = database;
    const preparing = await PostgresDatabase.open(url, domain);
    const secret = { hash: 'h', sealedMd5: '', sealedSecret: '' };
    const { id: gameId } = await preparing.write(registerGame, { name: 'One' }, secret);
    const wallets = [1, 2, 3, 4].map((n) => `0x${n.toString(16).padStart(40, '0')}`);
    const [creator = '', other = ''] = wallets;
    for (const wallet of wallets) await preparing.write(startSession, { gameId, wallet }, 1e9);
    const { _id: channel } = await preparing.write(createChannel, { gameId, wallet: creator }, [other]);
    await preparing.close();
    const client = new Client({ connectionString: url });
    await client.connect();
    const rows = async <Row extends object>(text: string, values: unknown[] = []) =>
      (await client.query<Row>(text, values)).rows;

    const args = { url, name: 'paused', game: gameId, channel, wallets: wallets.join() };
    const paused = spawn(
      pinnedNode,
      [program, ...Object.entries(args).map(([name, value]) => `--${name}=${value}`)],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    let taker = await PostgresDatabase.open(url, domain);
    try {
      const answered = answersOf(paused);
      await until('it writes', () => answered.length > 50);
      paused.kill('SIGSTOP');
      const [lane] = await rows<{ lane: number; owner: string }>(
        'SELECT lane, owner FROM write_lanes WHERE owner IS NOT NULL',
      );
      // Its open transaction ends after ten seconds; then it behaves as if paused for a minute. What it had sent before
      // may be executed afterwards, and keep the lane for it: then the test repeats.
      const taken = await until('another node has taken over the lane', async () => {
        await rows(
          "UPDATE write_lanes SET seen_at = clock_timestamp() - interval '61 seconds' WHERE lane = $1",
          [lane?.lane],
        );
        await taker.write(setScore, { gameId, wallet: creator }, 1, 'taken-0');
        const [now] = await rows<{ lane: number; owner: string; n: string; position: string }>(
          'SELECT lane, owner, n, position FROM write_lanes WHERE lane = $1',
          [lane?.lane],
        );
        if (now && now.owner !== lane?.owner) return now;
        await taker.close();
        taker = await PostgresDatabase.open(url, domain);
        return null;
      });
      const before = answered.length;
      paused.kill('SIGCONT');
      for (let n = 1; n <= 20; n++) await taker.write(setScore, { gameId, wallet: other }, n, `taken-${n}`);
      await until('it writes again', () => answered.length > before + 50);
      paused.kill('SIGKILL');
      await once(paused, 'close');

      const inLane = await rows<{ record: string }>(
        'SELECT record FROM events WHERE lane = $1 AND position > $2',
        [taken.lane, taken.position],
      );
      expect(inLane).toHaveLength(20);
      expect(inLane.filter(({ record }) => record.includes('paused-'))).toEqual([]);
      const there = await rows<{ text: string; count: string }>(
        `SELECT text, count(*) AS count FROM (SELECT nonce AS text FROM scores UNION ALL SELECT content FROM messages) AS one
          GROUP BY text`,
      );
      expect(there.filter(({ count }) => count !== '1')).toEqual([]);
      const texts = new Set(there.map(({ text }) => text));
      expect(answered.filter((text) => !texts.has(text))).toEqual([]);
      const gaps = await rows(
        `SELECT s.id FROM streams AS s LEFT JOIN events AS e ON e.stream_id = s.id
          GROUP BY s.id, s.seq HAVING count(*) <> s.seq OR max(e.seq) <> s.seq`,
      );
      expect(gaps).toEqual([]);
    } finally {
      paused.kill('SIGKILL');
      await taker.close();
      await client.end();
    }
  },
);

/** The writes that the node reports as acknowledged. */
function answersOf({ stdout }: ChildProcess): string[] {
  const answered: string[] = [];
  if (!stdout) throw new Error('the node has no output');
  createInterface({ input: stdout }).on('line', (line) => {
    if (!line.endsWith('}')) return;
    const { score, message }: { score?: string; message?: string } = JSON.parse(line);
    const text = score ?? message;
    if (text !== undefined) answered.push(text);
  });
  return answered;
}
