import { statSync } from 'node:fs';
import { io } from 'socket.io-client';
import { SqliteDatabase } from '../../src/engines/sqlite/sqlite-database.ts';
import { createGame } from '../../src/features/games/operations/games.ts';
import { gameStorages } from '../../src/features/storage-quota/game-storage.ts';
import { domain } from '../../src/server/declarations/domain.ts';
import { overHttp } from '../support/administration.ts';
import { randomWallet } from '../support/server.ts';
import { type Attack, adminToken, attackersAddress, type Count, inTurn, mebibyte } from './attacking.ts';

/** What the attacker's game may store. */
const quotaBytes = mebibyte;
/** Indexes, pages and rows that are not counted (events, sessions) come on top of what is. */
const mostDiskBytes = 8 * quotaBytes;

const state = `"${'s'.repeat(20_000)}"`;

/** By a game's own server, which may write for every wallet: each call names wallets that never existed before. */
export const serverAttacks: Record<string, Attack> = {
  "states for ever new wallets, by a game's secret": overPath('/launcher/set-state', () => ({
    wallet: randomWallet(),
    label: 'save',
    state,
  })),
  'the same by method dispatch': overPath(
    '/launcher',
    () => ({ wallet: randomWallet(), label: 'save', state }),
    { 'X-Service-Method': 'setState' },
  ),
  'the same in batches': overPath('/launcher/batch', () => ({
    operations: Array.from({ length: 10 }, () => ({
      method: 'setState',
      data: { wallet: randomWallet(), label: 'save', state },
    })),
  })),
  "notifications for ever new wallets, by a game's secret": overPath('/launcher/notify-players', () => ({
    wallets: Array.from({ length: 100 }, randomWallet),
    message: 'n'.repeat(1_000),
    type: 'success',
  })),
  "states for ever new wallets, over a socket with a game's secret": async ({ server, file }, { seconds }) =>
    bounded(server.url, file, async (secret, count) => {
      const socket = io(server.url, {
        auth: { gameSecret: secret },
        transports: ['websocket'],
        localAddress: attackersAddress,
      } as object);
      const over = performance.now() + seconds * 1000;
      while (performance.now() < over) {
        const data = { wallet: randomWallet(), label: 'save', state };
        // A socket that sends too much is disconnected, and its call is never answered.
        const answer: number | 'none' = await new Promise((resolve) => {
          socket.once('disconnect', () => resolve('none'));
          socket.emit('setState', 'launcher', data, {}, (error: unknown) => resolve(codeOf(error)));
        });
        socket.off('disconnect');
        count(answer);
        if (answer === 'none') break;
      }
      socket.close();
    }),
};

function overPath(path: string, bodyOf: () => object, headers: Record<string, string> = {}): Attack {
  return async ({ server, file }, { seconds }) =>
    bounded(server.url, file, async (secret, count) => {
      const authorized = { ...headers, Authorization: `Bearer ${secret}` };
      const over = performance.now() + seconds * 1000;
      const perSecond = 200;
      while (performance.now() < over) {
        const body = Buffer.from(JSON.stringify(bodyOf()));
        await inTurn(server.url, path, body, authorized, 1 / perSecond, perSecond, count);
      }
    });
}

/** Runs an attack with the secret of a game that may store little. @throws Error when the disk grew beyond that */
async function bounded(
  url: string,
  file: string,
  attack: (secret: string, count: Count) => Promise<void>,
): Promise<(count: Count) => Promise<void>> {
  const admin = overHttp({ url, adminToken });
  const policies = { storageQuotaMegabytes: quotaBytes / mebibyte };
  const { gameId, gameSecret } = await admin.call(createGame, { name: 'Hostile', policies });
  return async (count) => {
    const before = statSync(file).size;
    await attack(gameSecret, count);
    const db = new SqliteDatabase(file, domain);
    const stored = (await db.read(gameStorages, 0)).find((one) => one.gameId === gameId)?.bytes ?? 0;
    await db.close();
    const grown = statSync(file).size - before;
    if (stored > quotaBytes || grown > mostDiskBytes) {
      throw new Error(`the game stores ${stored} bytes of ${quotaBytes}, the disk grew by ${grown}`);
    }
  };
}

function codeOf(error: unknown): number {
  if (error === null || error === undefined) return 200;
  return typeof error === 'object' && 'code' in error ? Number(error.code) : 500;
}
