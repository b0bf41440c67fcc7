import SqliteDatabase from 'better-sqlite3';
import fc from 'fast-check';
import { z } from 'zod';
import { dataFiles } from '../../../src/config.ts';
import { reasons } from '../../../src/core/errors.ts';
import { overHttp } from '../../support/administration.ts';
import { post } from '../../support/http.ts';
import { startProbedServer } from '../../support/probed-server.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { type Plan, plan } from './plans.ts';
import { HttpSender, inputText, type Outcome, SocketSender, type Target } from './senders.ts';
import { createWorld, refresh } from './world.ts';

export interface FuzzReport {
  requests: number;
  seed: number;
  /** How many calls each transport carried. */
  ways: Record<string, number>;
  /** How many calls of each operation were executed. */
  carriedOut: Record<string, number>;
  statuses: Record<string, number>;
  /** Responses of 500 and above. */
  '5xx': number;
  /** Times the server crashed. */
  exits: number;
  /** Unanswered calls. */
  hung: number;
  /** Errors without the standard error body, or with a reason outside the closed set. */
  misshapen: number;
  /** Unexpected names that every object of the server inherits, and calls that thereby had a token. */
  polluted: string[];
  /** Of the server, after a garbage collection: once warmed up, and at the end. */
  memory: { heapBytes: [number, number]; rssBytes: [number, number] };
  exitCode: number | null;
  /** The result of `PRAGMA integrity_check` and `foreign_key_check`; on PostgreSQL `ok`. */
  integrity: string;
  log: string;
  /** The first failures: what was sent, and the response. */
  failures: string[];
}

const adminToken = 'the-admin-token-of-the-fuzzer';
const batchSize = 250;
const parallel = 20;
/** The number of calls before memory is first measured. */
const warmUp = 1_000;
const shownFailures = 10;

export interface FuzzOptions {
  requests: number;
  seed: number;
  /** An empty PostgreSQL database; default: SQLite. */
  databaseUrl?: string;
}

/** Sends mutated calls to a dedicated server. The same seed makes the same mutations. */
export async function fuzz({ requests, seed, databaseUrl }: FuzzOptions): Promise<FuzzReport> {
  await using directory = await temporaryDirectory();
  await using server = await startProbedServer({
    WEBHOOK_ALLOW_LOOPBACK: 'on', // so that webhooks get as far as a connection, which port 9 refuses
    DATA_DIR: directory.path,
    ADMIN_TOKEN: adminToken,
    RATE_LIMIT_FACTOR: '1000000',
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl, GANTRY_SECRET_KEY: 'e7'.repeat(32) }),
  });
  const { url } = server;
  const target: Target = { url, adminToken, world: await createWorld(url, adminToken) };
  const admin = overHttp(target);
  const http = new HttpSender(target);
  const sockets = [true, true, true, false].map((withToken) => new SocketSender(target, withToken));
  const tally = new Tally();
  const send = (one: Plan, index: number): Promise<Outcome> => {
    const socket = one.way === 'socket' || one.way === 'find' ? sockets[index % sockets.length] : undefined;
    if (!socket) return http.send(one);
    const handshake = one.handshake ?? (one.asServer ? { gameSecret: target.world.gameSecret } : null);
    return handshake ? socket.sendAfter(handshake, one) : socket.send(one);
  };

  let before = await server.state();
  for (let from = 0; from < requests && !server.hasExited(); from += batchSize) {
    const numRuns = Math.min(batchSize, requests - from);
    const plans = fc.sample(plan, { seed: seed + from, numRuns });
    const left = plans.entries();
    const worker = async () => {
      for (const [index, one] of left) {
        if (server.hasExited()) return;
        tally.add(one, await send(one, index), target);
      }
    };
    await Promise.all(Array.from({ length: parallel }, worker));
    if (server.hasExited()) break;
    if (from < warmUp) before = await server.state();
    await refresh(target.world, url, admin);
  }
  http.close();
  await Promise.all(sockets.map((socket) => socket.close()));
  const hasExited = server.hasExited();
  if (!hasExited) await tally.probe(url);
  const after = hasExited ? before : await server.state();
  const exitCode = hasExited ? null : await server.stop();
  return {
    requests,
    seed,
    ...tally.counts,
    exits: hasExited ? 1 : 0,
    polluted: [...tally.polluted, ...after.inherited],
    memory: {
      heapBytes: [before.heapBytes, after.heapBytes],
      rssBytes: [before.rssBytes, after.rssBytes],
    },
    exitCode,
    integrity: databaseUrl === undefined ? integrityOf(directory.path) : 'ok',
    log: server.log(),
    failures: tally.failures,
  };
}

const data = { success: z.literal(false), error: z.string() };
const errorBody = z.looseObject({
  success: z.literal(false),
  error: z.string().min(1),
  code: z.int(),
  data: z.union([
    z.strictObject({
      ...data,
      reason: z.enum(Object.keys(reasons)).exclude(['version_conflict', 'config_changed']),
      retryAfterSeconds: z.exactOptional(z.int().min(1)),
      endReason: z.exactOptional(z.string()),
    }),
    z.strictObject({
      ...data,
      reason: z.literal('version_conflict'),
      label: z.string().min(1),
      version: z.int().min(0),
    }),
    z.strictObject({ ...data, reason: z.literal('config_changed'), version: z.int().min(0) }),
  ]),
});

/** Counts the outcomes of the calls, and records the failures. */
class Tally {
  readonly counts = {
    ways: {} as Record<string, number>,
    carriedOut: {} as Record<string, number>,
    statuses: {} as Record<string, number>,
    '5xx': 0,
    hung: 0,
    misshapen: 0,
  };
  readonly failures: string[] = [];
  readonly polluted: string[] = [];

  add(one: Plan, { result, body }: Outcome, target: Target): void {
    const { counts } = this;
    increase(counts.ways, hasHandshake(one) ? `${one.way} after a handshake` : one.way);
    if (one.operation.service === 'admin') increase(counts.ways, 'of these, /admin');
    if (isPlainText(one)) increase(counts.ways, 'of these, text/plain');
    increase(counts.statuses, String(result));
    if (result === 200) increase(counts.carriedOut, one.operation.name);
    const isFault = typeof result === 'number' && result >= 500;
    // Headers that are too large are refused by Node's parser, before our code could respond.
    const isOurs = typeof result === 'number' && result !== 200 && result !== 431;
    const isMisshapen = isOurs && !errorBody.safeParse(body).success;
    if (isFault) counts['5xx']++;
    if (result === 'hung') counts.hung++;
    if (isMisshapen) counts.misshapen++;
    if (!(isFault || isMisshapen || result === 'hung') || this.failures.length >= shownFailures) return;
    const { operation, way, headers, method, service, textChange, handshake } = one;
    const sent = { way, operation: operation.name, method, service, headers, textChange, handshake };
    const text = inputText(one, target);
    this.failures.push(
      `${result} ${JSON.stringify(sent).slice(0, 1_500)} ${text.slice(0, 1_500)} → ${JSON.stringify(body).slice(0, 500)}`,
    );
  }

  /** A server whose objects all inherited a token or a game would accept a call without one. */
  async probe(url: string): Promise<void> {
    for (const [path, expected] of [
      ['channel-status', 'token_missing'],
      ['get-game-scores-leaderboard', 'input_invalid'],
    ]) {
      const { body } = await post(`${url}/launcher/${path}`, {});
      if (Object(body).data?.reason !== expected) this.polluted.push(`${path}: ${JSON.stringify(body)}`);
    }
  }
}

function hasHandshake({ way, handshake }: Plan): boolean {
  return handshake !== null && (way === 'socket' || way === 'find');
}

function isPlainText({ way, headers }: Plan): boolean {
  return (way === 'dispatch' || way === 'dedicated') && !!headers['Content-Type']?.startsWith('text/plain');
}

function increase(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

function integrityOf(dataDirectory: string): string {
  const db = new SqliteDatabase(dataFiles(dataDirectory).database, { readonly: true });
  try {
    const orphans = db.prepare('PRAGMA foreign_key_check').all().length;
    const integrity = String(db.pragma('integrity_check', { simple: true }));
    return orphans === 0 ? integrity : `${integrity}, but ${orphans} rows have dangling references`;
  } finally {
    db.close();
  }
}
