import { randomBytes } from 'node:crypto';
import { afterAll } from 'vitest';
import type { EventText } from '../../../src/core/events/stream.ts';
import { events, streams } from '../../../src/core/events/tables.ts';
import type { Owner } from '../../../src/core/schemas/owner.ts';
import type { Database } from '../../../src/core/storage/database.ts';
import type { Store } from '../../../src/core/storage/store.ts';
import { registerGame } from '../../../src/features/games/commands.ts';
import type { Game, NewGame } from '../../../src/features/games/game.ts';
import type { GameDetailChanges } from '../../../src/features/games/game-details.ts';
import type { SealedSecret } from '../../../src/features/games/game-secret.ts';
import { startSession } from '../../../src/features/sessions/commands.ts';
import { tables } from '../../../src/server/declarations/tables.ts';
import type { ManualClock } from '../../support/manual-clock.ts';
import { type ParsedEvent, parsed } from '../../support/parsed-events.ts';
import { rowsIn } from '../../support/rows-in.ts';
import { randomWallet } from '../../support/server.ts';

/** An empty store, and what a suite needs to test its contract. Disposing of it closes and removes everything. */
export interface DatabaseUnderTest extends AsyncDisposable {
  /** The store that is currently open. */
  readonly db: Database;
  /** The store's clock. */
  readonly clock: ManualClock;
  /** Closes the store and reopens it on its data. */
  reopen(): Promise<Database>;
  /** Opens the same data a second time, like another process (the command line beside a server). */
  openOtherProcess(): Promise<Database>;
  /** The same, writing in this process, for the tests' own commands; default: `db`. */
  openInProcess?(): Promise<Database>;
}

/** What an adapter provides to run the suite: opens an empty store. */
export type OpenEmptyStore = () => Promise<DatabaseUnderTest>;

/** How the tests of a suite obtain their store. */
export interface OpenStore {
  /** A store used by earlier tests, with their games, players and channels in it. */
  (): Promise<DatabaseUnderTest>;
  /** A separate store, for tests across all games, or that leave the store unusable. */
  empty: OpenEmptyStore;
}

/** One store for all tests of the current suite: opening one takes longer than most of them. */
export function sharedStore(empty: OpenEmptyStore): OpenStore {
  let store: Promise<DatabaseUnderTest> | undefined;
  afterAll(async () => (await store)?.[Symbol.asyncDispose]());
  const open = async (): Promise<DatabaseUnderTest> => {
    store ??= empty();
    const shared = await store;
    const otherProcesses: Database[] = [];
    const closedAfter = async (opened: Promise<Database>) => {
      otherProcesses.push(await opened);
      return opened;
    };
    const { openInProcess } = shared;
    return {
      get db() {
        return shared.db;
      },
      clock: shared.clock,
      reopen: () => shared.reopen(),
      openOtherProcess: () => closedAfter(shared.openOtherProcess()),
      ...(openInProcess && { openInProcess: () => closedAfter(openInProcess()) }),
      async [Symbol.asyncDispose]() {
        await Promise.all(otherProcesses.map((one) => one.close()));
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
  db: Store,
  game: Partial<NewGame> & GameDetailChanges = {},
  secret: SealedSecret = sealedSecret(),
): Promise<Game> {
  return db.write(registerGame, { name: 'Space Race', ...game }, secret);
}

/** A player who has signed in to the game; without a wallet, a new one. */
export async function addPlayer(db: Store, gameId: string, wallet = randomWallet()): Promise<Owner> {
  await db.write(startSession, { gameId, wallet }, hour);
  return { gameId, wallet };
}

/** Three players of one game. */
export async function trio(db: Store): Promise<[Owner, Owner, Owner]> {
  const { id } = await addGame(db);
  return [await addPlayer(db, id), await addPlayer(db, id), await addPlayer(db, id)];
}

/** Records every event the store publishes from now on, in order. */
export function listen(db: Database): ParsedEvent[] {
  const received: ParsedEvent[] = [];
  db.onCommit((events) => received.push(...parsed(events)));
  return received;
}

/** A short form of an event: its type, and its number in its stream. */
export function summarize(events: readonly Pick<EventText, 'name' | 'seq'>[]): [name: string, seq: number][] {
  return events.map(({ name, seq }) => [name, seq]);
}

/** The store as it is, then after a reopen: for reads that must be the same in both. */
export async function* nowAndReopened(fixture: DatabaseUnderTest): AsyncGenerator<Database> {
  yield fixture.db;
  yield await fixture.reopen();
}

/** The store, whose writes wait for `after` with their number. */
export function interposed(db: Store, after: (writes: number) => Promise<void> | void): Store {
  let writes = 0;
  return {
    async write(command, ...args) {
      const result = await db.write(command, ...args);
      await after(++writes);
      return result;
    },
    read: (query, ...args) => db.read(query, ...args),
    now: () => db.now(),
  };
}

/** The names of the tables with this text in them, sorted. */
export async function tablesWith(db: Store, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const { name } of [...tables, streams, events]) {
    const rows = await rowsIn(db, `SELECT * FROM ${name}`, {});
    if (JSON.stringify(rows).includes(text)) found.push(name);
  }
  return found.toSorted();
}
