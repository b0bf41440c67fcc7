import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { WriteCounts } from '../../src/engines/postgres/lane-writer.ts';
import { PostgresDatabase } from '../../src/engines/postgres/postgres-database.ts';
import { registerGame } from '../../src/features/games/commands.ts';
import { createChannel } from '../../src/features/messages/channel-commands.ts';
import { startSession } from '../../src/features/sessions/commands.ts';
import { domain } from '../../src/server/declarations/domain.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { rowsIn } from '../support/rows-in.ts';
import { until } from '../support/until.ts';

const program = fileURLToPath(new URL('postgres-writing-node.ts', import.meta.url));
const pinnedNode = fileURLToPath(new URL('../../node_modules/.bin/node', import.meta.url));

export interface PostgresKillsOptions {
  nodes: number;
  /** How often a node is killed. */
  nodeKills: number;
  /** How often PostgreSQL is killed. */
  serverKills: number;
  /** The time between two kills. */
  liveMs: number;
}

export interface PostgresKillsReport extends PostgresKillsOptions {
  answered: number;
  /** Acknowledged, but missing. */
  lost: number;
  /** Present more than once. */
  duplicated: number;
  /** Streams whose numbers have a gap, or a wrong end. */
  gaps: number;
  /** Commits whose outcome was unknown when the connection was lost, and their outcomes. */
  doubtsCommitted: number;
  doubtsUndone: number;
  doubtsUnknown: number;
  /** Scores or messages without their event, and vice versa. */
  halfWritten: number;
}

class Writing {
  readonly answered: { scores: string[]; messages: string[] };
  counts: WriteCounts | null = null;
  isReady = false;
  readonly #child: ChildProcess;

  constructor(args: Record<string, string>, answered: { scores: string[]; messages: string[] }) {
    this.answered = answered;
    this.#child = spawn(
      pinnedNode,
      [program, ...Object.entries(args).map(([name, value]) => `--${name}=${value}`)],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    if (!this.#child.stdout) throw new Error('a node has no output');
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#hear(line));
  }

  #hear(line: string): void {
    if (!line.endsWith('}')) return; // it was killed in the middle of it
    const said: { ready?: true; score?: string; message?: string; counts?: WriteCounts } = JSON.parse(line);
    if (said.ready) this.isReady = true;
    if (said.score !== undefined) this.answered.scores.push(said.score);
    if (said.message !== undefined) this.answered.messages.push(said.message);
    if (said.counts) this.counts = said.counts;
  }

  async kill(): Promise<void> {
    const gone = once(this.#child, 'close');
    this.#child.kill('SIGKILL');
    await gone;
  }
}

/** Nodes write to the same players and channel, while they and PostgreSQL are killed in turn. */
export async function runPostgresKills(options: PostgresKillsOptions): Promise<PostgresKillsReport> {
  await using server = await PostgresServer.start({ fsync: true });
  const url = server.url();
  const db = await PostgresDatabase.open(url, domain);
  const { id: gameId } = await db.write(
    registerGame,
    { name: 'One' },
    { hash: 'h', sealedMd5: '', sealedSecret: '' },
  );
  const wallets = Array.from({ length: 40 }, (_, n) => `0x${(n + 1).toString(16).padStart(40, '0')}`);
  await Promise.all(wallets.map((wallet) => db.write(startSession, { gameId, wallet }, 1e9)));
  const [creator = '', other = ''] = wallets;
  const { _id: channel } = await db.write(createChannel, { gameId, wallet: creator }, [other]);
  await db.close();

  const answered: { scores: string[]; messages: string[] } = { scores: [], messages: [] };
  const doubts = { doubtsCommitted: 0, doubtsUndone: 0, doubtsUnknown: 0 };
  let started = 0;
  const start = () =>
    new Writing({ url, name: `node${started++}`, game: gameId, channel, wallets: wallets.join() }, answered);
  const nodes = Array.from({ length: options.nodes }, start);
  const end = async (node: Writing) => {
    await node.kill();
    for (const name of ['doubtsCommitted', 'doubtsUndone', 'doubtsUnknown'] as const) {
      doubts[name] += node.counts?.[name] ?? 0;
    }
  };
  await until('all write', () => nodes.every(({ isReady }) => isReady));
  const total = options.nodeKills + options.serverKills;
  for (let n = 0; n < total; n++) {
    const before = answered.scores.length;
    await delay(options.liveMs * (0.5 + Math.random()));
    await until('something was answered since', () => answered.scores.length > before);
    const isServer =
      Math.floor(((n + 1) * options.serverKills) / total) > Math.floor((n * options.serverKills) / total);
    if (isServer) {
      await server.kill();
      await delay(100);
      await server.start();
    } else {
      const at = n % nodes.length;
      const node = nodes[at];
      if (node) await end(node);
      nodes[at] = start();
    }
  }
  await delay(1_000);
  await Promise.all(nodes.map(end));

  const audit = await PostgresDatabase.open(url, domain);
  try {
    const scores = (await rowsIn(
      audit,
      'SELECT nonce AS text, count(*) AS count FROM scores GROUP BY nonce',
      {},
    )) as Counted[];
    const messages = (await rowsIn(
      audit,
      'SELECT content AS text, count(*) AS count FROM messages GROUP BY content',
      {},
    )) as Counted[];
    const [there] = (await rowsIn(
      audit,
      `SELECT (SELECT count(*) FROM events WHERE name = 'scores created') AS scores,
        (SELECT count(*) FROM events WHERE name = 'chat-messages created') AS messages,
        (SELECT count(*) FROM (SELECT s.id FROM streams AS s LEFT JOIN events AS e ON e.stream_id = s.id
          GROUP BY s.id, s.seq HAVING count(*) <> s.seq OR max(e.seq) <> s.seq) AS one) AS gaps`,
      {},
    )) as { scores: number; messages: number; gaps: number }[];
    const known = {
      scores: new Set(scores.map(({ text }) => text)),
      messages: new Set(messages.map(({ text }) => text)),
    };
    return {
      ...options,
      answered: answered.scores.length + answered.messages.length,
      lost:
        answered.scores.filter((text) => !known.scores.has(text)).length +
        answered.messages.filter((text) => !known.messages.has(text)).length,
      duplicated: [...scores, ...messages].filter(({ count }) => count > 1).length,
      gaps: there?.gaps ?? -1,
      halfWritten:
        Math.abs((there?.scores ?? 0) - scores.length) + Math.abs((there?.messages ?? 0) - messages.length),
      ...doubts,
    };
  } finally {
    await audit.close();
  }
}

interface Counted {
  text: string;
  count: number;
}

// `node test/crash/postgres-kills.ts [NODE_KILLS] [SERVER_KILLS] [NODES]`; exits 1 when anything was lost, duplicated or
// partially written.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [nodeKills = '50', serverKills = '20', nodes = '3'] = process.argv.slice(2);
  const report = await runPostgresKills({
    nodes: Number(nodes),
    nodeKills: Number(nodeKills),
    serverKills: Number(serverKills),
    liveMs: 700,
  });
  process.stdout.write(`${JSON.stringify(report)}\n`);
  const { lost, duplicated, gaps, halfWritten } = report;
  if (lost + duplicated + gaps + halfWritten > 0) process.exitCode = 1;
}
