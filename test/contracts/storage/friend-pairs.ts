import { randomUUID } from 'node:crypto';
import { command, type Steps } from '../../../src/core/storage/command.ts';
import type { Store } from '../../../src/core/storage/store.ts';
import { acceptFriend, addFriend } from '../../../src/features/friends/commands.ts';
import { listFriendships } from '../../../src/features/friends/queries.ts';
import { friendships } from '../../../src/features/friends/tables.ts';
import { randomWallet } from '../../support/server.ts';
import { addGame, addPlayer, type DatabaseUnderTest } from './fixture.ts';

/** Three players of one game. */
export async function pair(db: Store) {
  const { id: gameId } = await addGame(db);
  const [ada, grace, linus] = [randomWallet(), randomWallet(), randomWallet()];
  for (const wallet of [ada, grace, linus]) await addPlayer(db, gameId, wallet);
  return { gameId, ada, grace, linus };
}

export async function ask(
  db: Store,
  wallet: string,
  other: string,
  { message = '', hasCode = false, gameId = String(randomUUID()) } = {},
): Promise<'friend' | 'sent'> {
  return db.write(addFriend, wallet, { wallet: other, message, hasCode, gameId });
}

export async function befriend(db: Store, wallet: string, other: string, message = ''): Promise<void> {
  await ask(db, wallet, other, { message });
  await db.write(acceptFriend, other, wallet);
}

/** The states of the two rows that count, of either side. */
export async function between(db: Store, wallet: string, other: string): Promise<(string | undefined)[]> {
  const stateIn = async (owner: string, of: string) =>
    (await listed(db, owner)).find((row) => row.other === of)?.state;
  return [await stateIn(wallet, other), await stateIn(other, wallet)];
}

/** A whole list, read in pages. */
export async function listed(
  db: Store,
  wallet: string,
  { limit = 250, ...filter }: { limit?: number; state?: 'friend' | 'sent'; gameId?: string } = {},
) {
  const rows = [];
  let behind = { changedAt: 10 ** 15 - 1, wallet: '' };
  for (;;) {
    const page = await db.read(listFriendships, wallet, { ...filter, limit, behind });
    rows.push(...page.map(({ row }) => row));
    const last = page.at(-1)?.row;
    if (!last || page.length < limit) return rows;
    behind = { changedAt: last.changedAt, wallet: last.other };
  }
}

/** The store, for the tests' own commands. */
export async function inProcess(fixture: DatabaseUnderTest): Promise<Store> {
  return (await fixture.openInProcess?.()) ?? fixture.db;
}

/** Fills a player's list with rows of others who do not exist. */
export const fillFriends = command(
  'fillFriends',
  // biome-ignore lint/correctness/useYield: rows that nobody else has
  function* (tx, wallet: string, state: string, count: number, expiresAt: number): Steps<void> {
    for (let n = 0; n < count; n++) {
      const other = `0x${state === 'friend' ? 'f' : 'e'}1${n.toString(16).padStart(38, '0')}`;
      const row = { favorite: 0, note: '', message: '', changedAt: tx.now, expiresAt };
      tx.insert(friendships, { wallet, other, state, ...row });
    }
  },
);
