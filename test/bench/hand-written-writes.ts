import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import pg from 'pg';
import { StreamIds } from '../../src/engines/postgres/stream-ids.ts';

/** A score to write: the player's stream, and the rank key. */
export interface ScoreWrite {
  stream: string;
  wallet: string;
  gameId: string;
  score: number;
}

/** Writes scores into the engine's own schema, and does nothing else. */
export interface ScoreWriter extends AsyncDisposable {
  write(write: ScoreWrite): Promise<unknown>;
}

const ids = new StreamIds();
const recordOf = ({ wallet, gameId, score }: ScoreWrite, id: string, now: number) =>
  JSON.stringify({ _id: id, nonce: id, gameId, normalizedAddress: wallet, score, updatedAt: now });

/** A typical implementation: one transaction per score, its statements in sequence, on a pool of 20 connections. */
export async function transactionEach(url: string): Promise<ScoreWriter> {
  const pool = new pg.Pool({ connectionString: url, max: 20 });
  const lane = 1;
  let position = 0;
  return {
    async write(write) {
      const client = await pool.connect();
      try {
        const [now, id, stream] = [Date.now(), randomUUID(), ids.of(write.stream)];
        await client.query('BEGIN');
        const { rows } = await client.query({
          name: 's1',
          text: `INSERT INTO streams AS s (id, name, wallet, seq, first_seq, trim_at) VALUES ($1, $2, $3, 1, 1, $4)
            ON CONFLICT (id) DO UPDATE SET seq = s.seq + 1 RETURNING seq`,
          values: [stream, write.stream, write.wallet, now],
        });
        const seq = Number(rows[0]?.seq);
        await client.query({
          name: 's2',
          text: `INSERT INTO events (stream_id, seq, name, record, at, lane, position)
            VALUES ($1, $2, $3, $4, $5, ${lane}, $6)`,
          values: [stream, seq, 'scores created', recordOf(write, id, now), now, ++position],
        });
        await client.query({
          name: 's3',
          text: `INSERT INTO scores (id, stream_id, revision, nonce, score, reached_at, updated_at)
            VALUES ($1, $2, $3, NULL, $4, $5, $5)`,
          values: [id, stream, seq, write.score, now],
        });
        await client.query({
          name: 's4',
          text: `INSERT INTO board AS b (stream_id, board_id, score_id, sort_score, reached_at) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (stream_id) DO UPDATE SET score_id = excluded.score_id, sort_score = excluded.sort_score,
              reached_at = excluded.reached_at WHERE excluded.sort_score < b.sort_score`,
          values: [stream, write.gameId, id, -write.score, now],
        });
        await client.query('COMMIT');
      } finally {
        client.release();
      }
    },
    [Symbol.asyncDispose]: () => pool.end(),
  };
}

interface Waiting {
  write: ScoreWrite;
  resolve(): void;
  reject(error: unknown): void;
}

/** A hand-optimized implementation of this one command: waiting scores share a transaction, in two round trips. */
export async function batchByHand(url: string): Promise<ScoreWriter> {
  const client = new pg.Client({ connectionString: url, pipeline: true } as pg.ClientConfig);
  await client.connect();
  const lane = 2;
  let [position, n, isBusy] = [0, 0, false];
  let queue: Waiting[] = [];
  const run = (name: string, text: string, values: unknown[]) => client.query({ name, text, values });

  async function execute(batch: readonly Waiting[]): Promise<void> {
    const now = Date.now();
    const byStream = new Map<string, Waiting['write'][]>();
    for (const { write } of batch) byStream.set(write.stream, [...(byStream.get(write.stream) ?? []), write]);
    const names = [...byStream.keys()].sort();
    const keys = names.map((name) => ids.of(name));
    const firsts = names.map((name) => byStream.get(name)?.[0]);
    const [, locked, boards] = await Promise.all([
      client.query('BEGIN'),
      run(
        'h1',
        `INSERT INTO streams AS s (id, name, wallet, seq, first_seq, trim_at)
          SELECT u.id, u.name, u.wallet, u.count, 1, $5 FROM unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[])
            AS u(id, name, wallet, count)
          ON CONFLICT (id) DO UPDATE SET seq = s.seq + excluded.seq RETURNING name, seq`,
        [keys, names, firsts.map((one) => one?.wallet), names.map((name) => byStream.get(name)?.length), now],
      ),
      run(
        'h2',
        'SELECT stream_id, sort_score, reached_at, score_id FROM board WHERE stream_id = ANY ($1::uuid[])',
        [keys],
      ),
    ]);
    const seqs = new Map(
      locked.rows.map(({ name, seq }) => [name, Number(seq) - (byStream.get(name)?.length ?? 0)]),
    );
    const best = new Map(
      boards.rows.map((row) => [row.stream_id, { score: Number(row.sort_score), old: row }]),
    );
    const events: unknown[][] = [];
    const changed = new Map<
      string,
      {
        write: ScoreWrite;
        id: string;
        old: { sort_score: number; reached_at: number; score_id: string } | null;
      }
    >();
    for (const { write } of batch) {
      const [id, stream] = [randomUUID(), ids.of(write.stream)];
      const seq = (seqs.get(write.stream) ?? 0) + 1;
      seqs.set(write.stream, seq);
      events.push([stream, seq, recordOf(write, id, now), ++position, id, write.score]);
      const counting = best.get(stream);
      if (counting && counting.score <= -write.score) continue;
      changed.set(stream, { write, id, old: changed.get(stream)?.old ?? counting?.old ?? null });
      best.set(stream, { score: -write.score, old: counting?.old });
    }
    const column = (at: number) => events.map((one) => one[at]);
    const moved = [...changed];
    const winners = moved.map(([, one]) => one);
    await Promise.all([
      run(
        'h3',
        `INSERT INTO events (stream_id, seq, name, record, at, lane, position)
          SELECT s, q, 'scores created', r, $5, ${lane}, p FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::bigint[]) AS u(s, q, r, p)`,
        [column(0), column(1), column(2), column(3), now],
      ),
      run(
        'h4',
        `INSERT INTO scores (id, stream_id, revision, nonce, score, reached_at, updated_at)
          SELECT i, s, q, NULL, x, $5, $5 FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::float8[]) AS u(i, s, q, x)`,
        [column(4), column(0), column(1), column(5), now],
      ),
      run(
        'h5',
        `INSERT INTO board (stream_id, board_id, score_id, sort_score, reached_at)
          SELECT s, b, i, x, $5 FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::float8[]) AS u(s, b, i, x)
          ON CONFLICT (stream_id) DO UPDATE SET score_id = excluded.score_id, sort_score = excluded.sort_score,
            reached_at = excluded.reached_at`,
        [
          moved.map(([stream]) => stream),
          winners.map(({ write }) => write.gameId),
          winners.map(({ id }) => id),
          winners.map(({ write }) => -write.score),
          now,
        ],
      ),
      run(
        'h6',
        `INSERT INTO board_moves SELECT b, ${lane}, $5, row_number() OVER (), x, a, i, ns, $6, ni
          FROM unnest($1::uuid[], $2::float8[], $3::bigint[], $4::uuid[], $7::float8[], $8::uuid[]) AS u(b, x, a, i, ns, ni)`,
        [
          winners.map(({ write }) => write.gameId),
          winners.map(({ old }) => old?.sort_score ?? null),
          winners.map(({ old }) => old?.reached_at ?? null),
          winners.map(({ old }) => old?.score_id ?? null),
          ++n,
          now,
          winners.map(({ write }) => -write.score),
          winners.map(({ id }) => id),
        ],
      ),
      run(
        'h7',
        `INSERT INTO board_versions AS v SELECT DISTINCT b, ${lane}, 1 FROM unnest($1::uuid[]) AS b
          ON CONFLICT (board_id, lane) DO UPDATE SET version = v.version + 1`,
        [winners.map(({ write }) => write.gameId)],
      ),
      client.query('COMMIT'),
    ]);
  }

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      await nextTurn();
      const batch = queue;
      queue = [];
      try {
        await execute(batch);
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    isBusy = false;
  }

  return {
    write(write) {
      return new Promise<void>((resolve, reject) => {
        queue.push({ write, resolve, reject });
        if (isBusy) return;
        isBusy = true;
        void drain();
      });
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}
