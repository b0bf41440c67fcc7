import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { io } from 'socket.io-client';
import { SqliteDatabase } from '../../src/engines/sqlite/sqlite-database.ts';
import { createGame } from '../../src/features/games/operations/games.ts';
import { gameStorages } from '../../src/features/storage-quota/game-storage.ts';
import { domain } from '../../src/server/declarations/domain.ts';
import { overHttp } from '../support/administration.ts';
import { post } from '../support/http.ts';
import { randomWallet } from '../support/server.ts';
import { type Attack, adminToken, type Count, inTurn, mebibyte, type Target } from './attacking.ts';

/** What the attacker's game may store. */
const quotaBytes = mebibyte;
/** What it stores before the attack: an attack of a moment must reach the quota, too. */
const filledBytes = quotaBytes - 96 * 1024;
/** What an attack calls at least, however slow the machine is: as many as fill the rest with sessions. */
const leastCalls = 120;
/** Indexes, pages and rows that are not counted (events) come on top of what is. */
const mostDiskBytes = 8 * quotaBytes;

const state = `"${'s'.repeat(20_000)}"`;
const stateFor = (wallet: string) => ({ wallet, label: 'save', state });

/** A call of a server, for wallets or a player of its own that never existed before; `together`: the number in a batch. */
const calls = {
  states: {
    method: 'setState',
    path: '/launcher/set-state',
    together: 4,
    data: () => stateFor(randomWallet()),
  },
  notifications: {
    method: 'notifyPlayers',
    path: '/launcher/notify-players',
    together: 2,
    data: () => ({
      wallets: Array.from({ length: 10 }, randomWallet),
      message: 'n'.repeat(1_000),
      type: 'success',
    }),
  },
  'channel sessions': {
    method: 'openChannelSession',
    path: '/launcher/open-channel-session',
    together: 10,
    data: () => ({ wallet: randomWallet() }),
  },
  'vouched sessions': {
    method: 'vouchForPlayer',
    path: '/launcher/vouch-for-player',
    together: 10,
    data: () => ({ playerId: randomUUID() }),
  },
};

/** By a game's own server, which may write for every wallet, over every transport. */
export const serverAttacks: Record<string, Attack> = Object.fromEntries(
  Object.entries(calls).flatMap(([what, { method, path, together, data }]): [string, Attack][] => [
    [`${what} for ever new players, by a game's secret`, overPath(path, data)],
    [
      `${what} for ever new players, by method dispatch`,
      overPath('/launcher', data, { 'X-Service-Method': method }),
    ],
    [
      `${what} for ever new players, in batches`,
      overPath('/launcher/batch', () => ({
        operations: Array.from({ length: together }, () => ({ method, data: data() })),
      })),
    ],
    [`${what} for ever new players, over a socket with a game's secret`, overSocket(method, data)],
  ]),
);

function overSocket(method: string, dataOf: () => object): Attack {
  return async (target, { seconds }) =>
    bounded(target, async (secret, count) => {
      const socket = io(target.server.url, {
        auth: { gameSecret: secret },
        transports: ['websocket'],
        localAddress: target.address,
      } as object);
      await untilOver(seconds, async () => {
        // A socket that sends too much is disconnected, and its call is never answered.
        const answer: number | 'none' = await new Promise((resolve) => {
          socket.once('disconnect', () => resolve('none'));
          socket.emit(method, 'launcher', dataOf(), {}, (error: unknown) => resolve(codeOf(error)));
        });
        socket.off('disconnect');
        count(answer);
        return answer !== 'none';
      });
      socket.close();
    });
}

function overPath(path: string, bodyOf: () => object, headers: Record<string, string> = {}): Attack {
  return async (target, { seconds }) =>
    bounded(target, async (secret, count) => {
      const authorized = { ...headers, Authorization: `Bearer ${secret}` };
      const perSecond = 200;
      await untilOver(seconds, async () => {
        const body = Buffer.from(JSON.stringify(bodyOf()));
        await inTurn(target, path, body, authorized, 1 / perSecond, perSecond, count);
        return true;
      });
    });
}

/** Calls for a number of seconds and at least `leastCalls` times, unless a call ends it by returning false. */
async function untilOver(seconds: number, call: () => Promise<boolean>): Promise<void> {
  const over = performance.now() + seconds * 1000;
  for (let called = 0; called < leastCalls || performance.now() < over; called++) {
    if (!(await call())) return;
  }
}

/**
 * Runs an attack with the secret of a game that may store little more than it does.
 * @throws Error when the attack never filled it, or the disk grew beyond that
 */
async function bounded(
  { server, file }: Target,
  attack: (secret: string, count: Count) => Promise<void>,
): Promise<(count: Count) => Promise<void>> {
  const admin = overHttp({ url: server.url, adminToken });
  const policies = { storageQuotaMegabytes: quotaBytes / mebibyte };
  const { gameId, gameSecret } = await admin.call(createGame, { name: 'Hostile', policies });
  const filling = { ...stateFor(randomWallet()), state: `"${'f'.repeat(filledBytes)}"` };
  const headers = { Authorization: `Bearer ${gameSecret}` };
  const { status } = await post(`${server.url}/launcher/set-state`, filling, headers);
  if (status !== 200) throw new Error(`the game could not be filled: ${status}`);
  return async (count) => {
    const before = statSync(file).size;
    let refused = 0;
    await attack(gameSecret, (answer) => {
      if (answer === 413) refused++;
      count(answer);
    });
    const db = new SqliteDatabase(file, domain);
    const stored = (await db.read(gameStorages, 0)).find((one) => one.gameId === gameId)?.bytes ?? 0;
    await db.close();
    const grown = statSync(file).size - before;
    if (stored > quotaBytes || grown > mostDiskBytes) {
      throw new Error(`the game stores ${stored} bytes of ${quotaBytes}, the disk grew by ${grown}`);
    }
    if (refused === 0)
      throw new Error(`nothing was refused: the game stores ${stored} bytes of ${quotaBytes}`);
  };
}

function codeOf(error: unknown): number {
  if (error === null || error === undefined) return 200;
  return typeof error === 'object' && 'code' in error ? Number(error.code) : 500;
}
