import { randomBytes } from 'node:crypto';
import { afterAll } from 'vitest';
import type { StoredEvent } from '../../../src/core/events/stream.ts';
import type { Owner } from '../../../src/core/schemas/owner.ts';
import type { Database } from '../../../src/core/storage/database.ts';
import { registerGame } from '../../../src/games/commands.ts';
import type { Game, NewGame } from '../../../src/games/game.ts';
import type { SealedSecret } from '../../../src/games/game-secret.ts';
import { startSession } from '../../../src/sessions/commands.ts';
import type { ManualClock } from '../../support/manual-clock.ts';
import { randomWallet } from '../../support/server.ts';

/** An empty store, and what a suite needs to try its promises. Disposing of it closes and removes all. */
export interface DatabaseUnderTest extends AsyncDisposable {
  /** The store as it is open now. */
  readonly db: Database;
  /** The time the store goes by. */
  readonly clock: ManualClock;
  /** Closes the store and opens it again on what it kept. */
  reopen(): Promise<Database>;
  /** Opens the same data a second time, as another process would (the command line beside a server). */
  openBeside(): Promise<Database>;
  /** The same, written in this process, for commands of the tests' own; left out: `db` is. */
  openInProcess?(): Promise<Database>;
}

/** What an adapter brings to run the suite: opens an empty store. */
export type OpenEmptyStore = () => Promise<DatabaseUnderTest>;

/** How the tests of a suite come by their store. */
export interface OpenStore {
  /** One that tests before have used, with their games in it, and players and channels of those. */
  (): Promise<DatabaseUnderTest>;
  /** One of its own, for tests of what goes over all games, or that leave the store unusable. */
  empty: OpenEmptyStore;
}

/** One store for all tests of the suite that is declared now: opening one takes longer than most of them. */
export function sharedStore(empty: OpenEmptyStore): OpenStore {
  let store: Promise<DatabaseUnderTest> | undefined;
  afterAll(async () => (await store)?.[Symbol.asyncDispose]());
  const open = async (): Promise<DatabaseUnderTest> => {
    store ??= empty();
    const shared = await store;
    const beside: Database[] = [];
    const closedAfter = async (opened: Promise<Database>) => {
      beside.push(await opened);
      return opened;
    };
    const { openInProcess } = shared;
    return {
      get db() {
        return shared.db;
      },
      clock: shared.clock,
      reopen: () => shared.reopen(),
      openBeside: () => closedAfter(shared.openBeside()),
      ...(openInProcess && { openInProcess: () => closedAfter(openInProcess()) }),
      async [Symbol.asyncDispose]() {
        await Promise.all(beside.map((one) => one.close()));
      },
    };
  };
  return Object.assign(open, { empty });
}

export const wholePage = { limit: 250, skip: 0 };

export const hour = 60 * 60 * 1000;

export function sealedSecret(): SealedSecret {
  return {
    hash: randomBytes(32).toString('hex'),
    sealedMd5: randomBytes(16).toString('base64'),
    sealedSecret: randomBytes(32).toString('base64'),
  };
}

export function addGame(
  db: Database,
  game: Partial<NewGame> = {},
  secret: SealedSecret = sealedSecret(),
): Promise<Game> {
  return db.write(registerGame, { name: 'Space Race', ...game }, secret);
}

/** A player who has signed in to the game; without a wallet, one never seen before. */
export async function addPlayer(db: Database, gameId: string, wallet = randomWallet()): Promise<Owner> {
  await db.write(startSession, { gameId, wallet }, hour);
  return { gameId, wallet };
}

/** Three players of one game. */
export async function trio(db: Database): Promise<[Owner, Owner, Owner]> {
  const { id } = await addGame(db);
  return [await addPlayer(db, id), await addPlayer(db, id), await addPlayer(db, id)];
}

/** Remembers every event the store publishes from now on, in the order it does. */
export function listen(db: Database): StoredEvent[] {
  const heard: StoredEvent[] = [];
  db.onCommit((events) => heard.push(...events));
  return heard;
}

/** An event in short: what happened, and its number in its stream. */
export function inShort(events: readonly StoredEvent[]): [name: string, seq: number][] {
  return events.map(({ name, seq }) => [name, seq]);
}

/** The store as it is, then as it is after a reopen: for what must read the same in both. */
export async function* nowAndReopened(fixture: DatabaseUnderTest): AsyncGenerator<Database> {
  yield fixture.db;
  yield await fixture.reopen();
}
