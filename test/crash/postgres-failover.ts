import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { Database } from '../../src/core/storage/database.ts';
import { PostgresDatabase } from '../../src/engines/postgres/postgres-database.ts';
import { readEpoch } from '../../src/features/events/queries.ts';
import { createChannel } from '../../src/features/messages/channel-commands.ts';
import { sendMessage } from '../../src/features/messages/message-commands.ts';
import { setScore } from '../../src/features/scores/commands.ts';
import { domain } from '../../src/server/declarations/domain.ts';
import { startForwarder } from '../support/forwarder.ts';
import { listen } from '../support/listening-client.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { rowsIn } from '../support/rows-in.ts';
import { startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

export interface FailoverOptions {
  kind: 'synchronous' | 'asynchronous';
  /** How long writes run before the failover, and after it. */
  writeMs: number;
}

export interface FailoverReport extends FailoverOptions {
  answered: number;
  /** Acknowledged, but missing. */
  lost: number;
  /** Of these, acknowledged after both nodes had noticed. */
  lostAfterNotice: number;
  duplicated: number;
  gaps: number;
  isSameEpoch: boolean;
  /** From the primary's end to the first acknowledged write. */
  pausedMs: number;
  /** From the first moment when writes were possible again until each node knew the new history; null: unchanged. */
  noticedMs: number | null;
  /** Streams that a launcher was told to reload. */
  resyncs: number;
  /** Messages that the launcher received twice, or out of order, while the history was the same. */
  misdelivered: number;
}

interface Answered {
  text: string;
  at: number;
}

/** A primary with a standby that takes over from it, while a server and another node write through one address. */
export async function runFailover(options: FailoverOptions): Promise<FailoverReport> {
  const isSynchronous = options.kind === 'synchronous';
  await using primary = await PostgresServer.start({ fsync: true });
  await using link = await startForwarder(primary.port);
  const through = `host=127.0.0.1 port=${link.port} user=gantry application_name=standby`;
  await using standby = await primary.startStandby({
    fsync: true,
    settings: { primary_conninfo: through, synchronous_standby_names: '' },
  });
  if (isSynchronous) await setting(primary, "synchronous_standby_names = 'standby'");
  await using front = await startForwarder(primary.port);
  const url = `postgres://gantry@127.0.0.1:${front.port}/postgres`;
  await using server = await startTestServer({ DATABASE_URL: url, GANTRY_SECRET_KEY: '5e'.repeat(32) });
  const other = await PostgresDatabase.open(url, domain);
  try {
    const { db } = server;
    const nodes: readonly Database[] = [db, other];
    const { gameId } = await server.createGame();
    const players = await Promise.all([1, 2, 3, 4].map(() => server.openSession(gameId)));
    const [ada, grace] = players;
    if (!ada || !grace) throw new Error('there are no players');
    const { _id: channel } = await db.write(createChannel, ada, [grace.wallet]);
    using launcher = listen({ url: server.url, launcherJwt: grace.launcherJwt });
    await launcher.client.ready();
    const loaded = launcher.resyncs.length; // it connected without cursors
    const epoch = await db.read(readEpoch);
    const noticed = nodes.map(() => Number.POSITIVE_INFINITY);
    for (const [at, node] of nodes.entries()) {
      node.onNewEpoch(() => {
        noticed[at] = Math.min(noticed[at] ?? 0, performance.now());
      });
    }

    const scores: Answered[] = [];
    const messages: Answered[] = [];
    let isWriting = true;
    const write = async (into: Answered[], of: string, one: (text: string) => Promise<unknown>) => {
      for (let n = 0; isWriting; n++) {
        const text = `${of}-${n}`;
        try {
          await one(text);
          into.push({ text, at: performance.now() });
        } catch {
          await delay(20); // refused, or outcome unknown: counts as neither
        }
      }
    };
    const writing = nodes.flatMap((node, at) => [
      ...players.map((player, of) =>
        write(scores, `score-${at}-${of}`, (text) => node.write(setScore, player, 1, text)),
      ),
      write(messages, `message-${at}`, (text) => node.write(sendMessage, ada, channel, text)),
    ]);
    await delay(options.writeMs);
    if (!isSynchronous) {
      link.cut(); // the standby does not receive the rest
      const before = scores.length;
      await until('writes that the standby does not have', () => scores.length > before + 50);
    }
    const endedAt = performance.now();
    await primary.kill();
    front.cut();
    await standby.promote();
    const possibleAt = performance.now();
    front.to(standby.port);
    const answeredSince = (at: number) => scores.find((one) => one.at > at + 1)?.at;
    const resumedAt = await until('writes', () => answeredSince(endedAt + 200));
    if (!isSynchronous) {
      await until('both nodes know the new history', () => noticed.every(Number.isFinite));
      await until('the launcher was notified', () => launcher.resyncs.length > loaded);
    }
    await delay(options.writeMs);
    isWriting = false;
    await Promise.all(writing);
    const lastNoticed = Math.max(...noticed);
    const isSameEpoch = (await other.read(readEpoch)) === epoch && (await db.read(readEpoch)) === epoch;

    const countOf = async (table: string, column: string) => {
      const text = `SELECT ${column} AS text, count(*) AS count FROM ${table} GROUP BY ${column}`;
      const rows = (await rowsIn(other, text, {})) as { text: string; count: number }[];
      return new Map(rows.map((row) => [row.text, row.count]));
    };
    const there = new Map([...(await countOf('scores', 'nonce')), ...(await countOf('messages', 'content'))]);
    const lost = [...scores, ...messages].filter(({ text }) => !there.has(text));
    const [gaps] = (await rowsIn(
      other,
      `SELECT count(*) AS count FROM (SELECT s.id FROM streams AS s LEFT JOIN events AS e ON e.stream_id = s.id
        GROUP BY s.id, s.seq HAVING count(*) <> s.seq OR max(e.seq) <> s.seq) AS one`,
      {},
    )) as { count: number }[];
    const received = () => launcher.received.filter(({ meta }) => meta.stream === `channel:${channel}`);
    const [stream] = (await rowsIn(other, 'SELECT seq FROM streams WHERE name = @name', {
      name: `channel:${channel}`,
    })) as { seq: number }[];
    await until('the launcher has received all', () => received().at(-1)?.meta.seq === stream?.seq);
    const seqs = received().map(({ meta }) => meta.seq);
    return {
      ...options,
      answered: scores.length + messages.length,
      lost: lost.length,
      lostAfterNotice: lost.filter(({ at }) => at > lastNoticed).length,
      duplicated: [...there.values()].filter((count) => count > 1).length,
      gaps: gaps?.count ?? -1,
      isSameEpoch,
      pausedMs: Math.round(resumedAt - endedAt),
      noticedMs: Number.isFinite(lastNoticed) ? Math.round(lastNoticed - possibleAt) : null,
      resyncs: launcher.resyncs.length - loaded,
      misdelivered: isSynchronous
        ? seqs.filter((seq, at) => at > 0 && seq !== (seqs[at - 1] ?? 0) + 1).length
        : 0,
    };
  } finally {
    await other.close();
  }
}

async function setting(server: PostgresServer, text: string): Promise<void> {
  const client = new Client({ connectionString: server.url() });
  await client.connect();
  try {
    await client.query(`ALTER SYSTEM SET ${text}`);
    await client.query('SELECT pg_reload_conf()');
  } finally {
    await client.end();
  }
}
