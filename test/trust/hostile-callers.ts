import { Agent } from 'node:http';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { brotliCompressSync } from 'node:zlib';
import { createGame } from '../../src/features/games/operations/games.ts';
import { openSession } from '../../src/features/sessions/operations/sessions.ts';
import { withTimeout } from '../../src/runtime/timeouts.ts';
import { overHttp } from '../support/administration.ts';
import { listen } from '../support/listening-client.ts';
import { type ProbedServer, startProbedServer } from '../support/probed-server.ts';
import { randomWallet } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import {
  type Attack,
  adminToken,
  asRequest,
  held,
  inTurn,
  mebibyte,
  type Size,
  send,
  type Target,
  writeLargeStates,
} from './attacking.ts';
import { guessAttacks } from './hostile-guesses.ts';
import { pageAttacks } from './hostile-pages.ts';
import { pipelineAttacks } from './hostile-pipelines.ts';
import { readAttacks } from './hostile-reads.ts';
import { serverAttacks } from './hostile-servers.ts';
import { socketAttacks } from './hostile-sockets.ts';
import { Innocent, type Waits } from './innocent.ts';

// Simulates callers with one ordinary token or none who try to exhaust the server, the disk or the memory, one kind
// after another, each beside an innocent player on another address:
//   node test/trust/hostile-callers.ts --seconds 10
// Prints the innocent player's figures before and during, and ends with 1 when they are too bad (see `isHarmless`).

/** The result of a kind of attack. Times in milliseconds, memory in bytes. */
export interface Attacked {
  attack: string;
  before: Waits;
  during: Waits;
  /** Of the innocent player's calls; see `Outcome`. */
  failed: number;
  lost: number;
  /** The attackers' responses by status, or `none` where the connection was closed. */
  answers: Record<string, number>;
  grownBytes: number;
  /** Of the log, per second of the attack. All attackers have one address. */
  loggedBytes: number;
}

const attacks: Record<string, Attack> = {
  'large pages, not read': async (target, { connections, seconds }) => {
    await writeLargeStates(target);
    return async (count) => {
      const body = JSON.stringify({ launcherJwt: target.launcherJwt, limit: 250 });
      await held(target, connections, seconds, asRequest('/launcher/get-states', body), count);
    };
  },
  'bodies that are half sent':
    async (target, { connections, seconds }) =>
    async (count) => {
      const head = `POST /launcher/set-user-score HTTP/1.1\r\nHost: a\r\nContent-Length: ${1.9 * mebibyte}\r\n\r\n`;
      const half = Buffer.concat([Buffer.from(head), Buffer.alloc(1.8 * mebibyte, ' ')]);
      await held(target, connections, seconds, half, count);
    },
  'a few bytes that unpack to megabytes':
    async (target, { seconds }) =>
    async (count) => {
      const body = brotliCompressSync(Buffer.alloc(1.9 * mebibyte, '['));
      await inTurn(target, '/launcher', body, { 'Content-Encoding': 'br' }, seconds, 40, count);
    },
  'the same for administrators, without a token':
    async (target, { seconds }) =>
    async (count) => {
      const body = brotliCompressSync(Buffer.alloc(1.9 * mebibyte, '['));
      await inTurn(target, '/admin/list-games', body, { 'Content-Encoding': 'br' }, seconds, 40, count);
    },
  'states of very many parts':
    async (target, { seconds }) =>
    async (count) => {
      const state = Object.fromEntries(
        Array.from({ length: 70_000 }, (_, at) => [`k${(at * 7919) % 70_000}`, at]),
      );
      const body = Buffer.from(JSON.stringify({ launcherJwt: target.launcherJwt, label: 'wide', state }));
      await inTurn(target, '/launcher', body, { 'X-Service-Method': 'setState' }, seconds, 20, count);
    },
  'sessions opened without end, each writing':
    async (target, { seconds }) =>
    async (count) => {
      const { server, gameId } = target;
      const admin = overHttp({ url: server.url, adminToken });
      const wallet = randomWallet();
      const tokens = await Promise.all(
        Array.from(
          { length: 20 },
          async () => (await admin.call(openSession, { gameId, wallet })).launcherJwt,
        ),
      );
      const bodies = tokens.map((launcherJwt) =>
        Buffer.from(JSON.stringify({ launcherJwt, label: 'large', state: `"${'a'.repeat(900_000)}"` })),
      );
      await Promise.all(
        bodies.map((body) => inTurn(target, '/launcher/set-state', body, {}, seconds, 3, count)),
      );
    },
  'the API document, over and over':
    async (target, { seconds }) =>
    async (count) => {
      await inTurn(target, '/openapi.json', null, {}, seconds, 40, count);
    },
  'calls to administrators without a token':
    async (target, { seconds }) =>
    async (count) => {
      await inTurn(target, '/admin/list-games', Buffer.from('{}'), {}, seconds, 100, count);
    },
  ...socketAttacks,
  ...readAttacks,
  ...serverAttacks,
  ...pipelineAttacks,
  ...pageAttacks,
  ...guessAttacks,
};

export const attackNames = Object.keys(attacks);

/**
 * Runs each attack against players of a game of its own, from an address of its own; with `named`, only those whose
 * name contains it. Up to `perServer` of them run on the same server, and their memory is counted together.
 */
export async function attackEach(
  size: Size,
  perServer = 1,
  tell: (attacked: Attacked) => void = () => undefined,
  named = '',
): Promise<Attacked[]> {
  const all: Attacked[] = [];
  const chosen = attackNames.filter((attack) => attack.includes(named));
  await using innocent = new Innocent();
  for (const names of perServers(chosen, perServer)) {
    await using directory = await temporaryDirectory();
    await using server = await startProbedServer({
      DATA_DIR: directory.path,
      ADMIN_TOKEN: adminToken,
      LOG_LEVEL: 'info',
    });
    let rssBytes: number | undefined;
    for (const attack of names) {
      const target = await prepare(server, join(directory.path, 'gantry.db'), all.length);
      const attackThen = await attacks[attack]?.(target, size);
      if (!attackThen) throw new Error(`there is no attack ${attack}`);
      innocent.become({ url: server.url, launcherJwt: target.otherJwt });
      await innocent.play(Math.min(1, size.secondsBefore)); // warm-up
      const before = await innocent.play(size.secondsBefore);
      rssBytes ??= (await server.state()).rssBytes;
      const answers: Record<string, number> = {};
      const begun = { at: performance.now(), writtenBytes: server.writtenBytes() };
      const attacking = attackThen((answer) => {
        answers[answer] = (answers[answer] ?? 0) + 1;
      });
      const during = await innocent.play(size.seconds);
      const grownBytes = (await server.state()).rssBytes - rssBytes;
      await attacking;
      const written = server.writtenBytes() - begun.writtenBytes;
      const attacked = {
        attack,
        before,
        during,
        ...(await innocent.outcome()),
        answers,
        grownBytes,
        loggedBytes: Math.round((written * 1000) / (performance.now() - begun.at)),
      };
      if (!(await isOpenToAdministrators(target))) attacked.failed++;
      if (!(await comesLive(server.url, target.otherJwt))) attacked.failed++;
      tell(attacked);
      all.push(attacked);
    }
  }
  return all;
}

/** Pages are rendered, bundled and compressed once for a server, so each attack on them has a server of its own. */
function perServers(names: readonly string[], most: number): string[][] {
  const groups: string[][] = [];
  for (const name of names) {
    const last = groups.at(-1);
    if (last && last.length < most && !(name in pageAttacks)) last.push(name);
    else groups.push([name]);
  }
  return groups;
}

/**
 * Whether others were hardly affected: at most three times as slow as before, or 50 ms; nothing lost; memory and log
 * bounded.
 */
export function isHarmless({
  attack,
  before,
  during,
  failed,
  lost,
  grownBytes,
  loggedBytes,
}: Attacked): boolean {
  const isInTime = during.p99 <= Math.max(50, 3 * before.p99);
  const isBounded = grownBytes <= mostGrownBytes && loggedBytes <= mostLoggedBytes(attack);
  return isInTime && isBounded && failed === 0 && lost === 0;
}

/** The allowed growth of the log per second of an attack: a few lines for each address and minute, the first at once. */
export const mostLoggedBytes = (attack: string) => (attack in guessAttacks ? 100_000 : 10_000);

/** The allowed growth of the server's memory during an attack. */
export const mostGrownBytes = 512 * mebibyte;

const liveWithinMs = 10_000;

async function prepare(server: ProbedServer, file: string, at: number): Promise<Target> {
  const admin = overHttp({ url: server.url, adminToken });
  const { gameId } = await admin.call(createGame, { name: 'Orbit' });
  const otherWallet = randomWallet();
  const open = async (wallet: string) => (await admin.call(openSession, { gameId, wallet })).launcherJwt;
  const [launcherJwt, otherJwt] = [await open(randomWallet()), await open(otherWallet)];
  return { server, address: `127.0.1.${1 + at}`, file, gameId, launcherJwt, otherJwt, otherWallet };
}

/** Whether the innocent player's launcher connects and receives its events. */
async function comesLive(url: string, launcherJwt: string): Promise<boolean> {
  using launcher = listen({ url, launcherJwt });
  await withTimeout(liveWithinMs, launcher.client.ready());
  return launcher.connections() === 1;
}

async function isOpenToAdministrators({ server, address }: Target): Promise<boolean> {
  const agent = new Agent({ localAddress: address });
  const headers = { Authorization: `Bearer ${adminToken}` };
  return (await send(`${server.url}/admin/list-games`, Buffer.from('{}'), headers, agent)).status === 200;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '10' },
      connections: { type: 'string', default: '1500' },
      attack: { type: 'string', default: '' },
    },
  });
  const seconds = Number(values.seconds);
  const size = { seconds, secondsBefore: seconds, connections: Number(values.connections) };
  const tell = (attacked: Attacked) => process.stdout.write(`${JSON.stringify(attacked)}\n`);
  const all = await attackEach(size, 1, tell, values.attack);
  process.exitCode = all.every(isHarmless) ? 0 : 1;
}
