import { randomBytes } from 'node:crypto';
import type { Game } from '../../../src/domain/game.ts';
import type { StoredEvent } from '../../../src/events/stream.ts';
import type { NewGame, Owner, SealedSecret, Store } from '../../../src/store/store.ts';
import type { ManualClock } from '../../support/manual-clock.ts';
import { randomWallet } from '../../support/server.ts';

/** An empty store, and what a suite needs to try its promises. Disposing of it closes and removes all. */
export interface StoreUnderTest extends AsyncDisposable {
  /** The store as it is open now. */
  readonly store: Store;
  /** The time the store goes by. */
  readonly clock: ManualClock;
  /** Closes the store and opens it again on what it kept. */
  reopen(): Promise<Store>;
  /** Opens the same data a second time, as another process would (the command line beside a server). */
  openBeside(): Promise<Store>;
}

/** What an adapter brings to run the suite. */
export type OpenStore = () => Promise<StoreUnderTest>;

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
  store: Store,
  game: Partial<NewGame> = {},
  secret: SealedSecret = sealedSecret(),
): Promise<Game> {
  return store.games.create({ name: 'Space Race', ...game }, secret);
}

/** A player who has signed in to the game; without a wallet, one never seen before. */
export async function addPlayer(store: Store, gameId: string, wallet = randomWallet()): Promise<Owner> {
  await store.sessions.open({ gameId, wallet }, hour);
  return { gameId, wallet };
}

/** Three players of one game. */
export async function trio(store: Store): Promise<[Owner, Owner, Owner]> {
  const { id } = await addGame(store);
  return [await addPlayer(store, id), await addPlayer(store, id), await addPlayer(store, id)];
}

/** Remembers every event the store publishes from now on, in the order it does. */
export function listen(store: Store): StoredEvent[] {
  const heard: StoredEvent[] = [];
  store.onCommit((events) => heard.push(...events));
  return heard;
}

/** An event in short: what happened, and its number in its stream. */
export function inShort(events: readonly StoredEvent[]): [name: string, seq: number][] {
  return events.map(({ name, seq }) => [name, seq]);
}

/** The store as it is, then as it is after a reopen: for what must read the same in both. */
export async function* nowAndReopened(fixture: StoreUnderTest): AsyncGenerator<Store> {
  yield fixture.store;
  yield await fixture.reopen();
}
