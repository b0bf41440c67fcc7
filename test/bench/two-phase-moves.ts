import pg from 'pg';
import { StreamIds } from '../../src/engines/postgres/stream-ids.ts';

const ids = new StreamIds();
/** Locks streams, raises their numbers and adds an event to each: what a command writes at the least. */
const move = `WITH moved AS (
    UPDATE streams AS s SET seq = s.seq + 1 FROM unnest($1::uuid[]) AS u(id) WHERE s.id = u.id RETURNING s.id, s.seq)
  INSERT INTO events (stream_id, seq, name, record, at, lane, position)
    SELECT id, seq, 'moved', '{}', 0, $2, $3 + row_number() OVER () FROM moved`;
const count = 'UPDATE write_lanes SET n = n + 1 WHERE lane = $1';

/** Commands that change a player of each of two servers, or of the same one: one batch of them after the other. */
export interface Mover extends AsyncDisposable {
  /** Commits a batch of pairs of streams, by name. */
  move(pairs: readonly (readonly [string, string])[]): Promise<void>;
}

async function connect(url: string, lane: number): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, pipeline: true } as pg.ClientConfig);
  await client.connect();
  await client.query('INSERT INTO write_lanes (lane) VALUES ($1) ON CONFLICT DO NOTHING', [lane]);
  return client;
}

let batch = 0;

/** What is sent in one round trip: the changes of a batch on one server, and how its transaction ends. */
function send(client: pg.Client, lane: number, streams: readonly string[], end: string): Promise<unknown> {
  const keys = streams.map((name) => ids.of(name)).sort();
  return Promise.all([
    client.query('BEGIN'),
    client.query({ name: 'move', text: move, values: [keys, lane, ++batch * 1_000] }),
    client.query({ name: 'count', text: count, values: [lane] }),
    client.query(end),
  ]);
}

/** Both players on one server: one transaction, in one round trip. */
export async function movesOnOne(url: string, lane: number): Promise<Mover> {
  const client = await connect(url, lane);
  return {
    async move(pairs) {
      await send(client, lane, pairs.flat(), 'COMMIT');
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}

/** A player on each of two servers: two-phase commit, in two round trips to both at once. */
export async function movesOnTwo(urls: readonly [string, string], lane: number): Promise<Mover> {
  const clients = await Promise.all(urls.map((url) => connect(url, lane)));
  return {
    async move(pairs) {
      const id = `lane ${lane} batch ${++batch}`;
      const of = (at: number) => pairs.map((pair) => pair[at] ?? '');
      await Promise.all(
        clients.map((client, at) => send(client, lane, of(at), `PREPARE TRANSACTION '${id}'`)),
      );
      await Promise.all(clients.map((client) => client.query(`COMMIT PREPARED '${id}'`)));
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(clients.map((client) => client.end()));
    },
  };
}
