import type { GameFilter, Owner } from '../core/schemas/owner.ts';
import type { Page, Paged } from '../core/schemas/paging.ts';
import { query, type Read, type ReadSteps } from '../core/storage/query.ts';
import { statement } from '../core/storage/statement.ts';
import { type StateSummary, type StoredState, toStoredState } from './stored-state.ts';
import { states } from './tables.ts';

/** The most that the states of a page take together, in bytes; one state may be a quarter of it. */
export const maximumPageBytes = 4 * 1024 * 1024;

export interface StatesPage {
  states: StoredState[];
  /** There are fewer than asked for because they would take too much together: read on behind them. */
  isShortened: boolean;
}

/** A player's states, last updated first; or the one under a label. */
export const listPlayerStates = query(
  'listPlayerStates',
  function* (
    read: Read,
    { gameId, wallet }: Owner,
    { limit, skip }: Page,
    label?: string,
  ): ReadSteps<StoredState[]> {
    if (label === undefined) {
      const rows = yield* read.list(states.byUpdate, [gameId, wallet], { limit, skip, last: true });
      return rows.map(toStoredState);
    }
    const row = yield* read.get(states, gameId, wallet, label);
    return row && skip === 0 && limit > 0 ? [toStoredState(row)] : [];
  },
);

/** The same, as many as fit into an answer. */
export const readStatesPage = query(
  'readStatesPage',
  function* (read: Read, owner: Owner, page: Page, label?: string): ReadSteps<StatesPage> {
    if (label !== undefined || page.limit === 0) {
      return { states: yield* read.ask(listPlayerStates, owner, page, label), isShortened: false };
    }
    const { gameId, wallet } = owner;
    const sizes = yield* read.all(sizesOfPlayer, { gameId, wallet, limit: page.limit, skip: page.skip });
    const limit = countFitting(sizes);
    return {
      states: yield* read.ask(listPlayerStates, owner, { ...page, limit }),
      isShortened: limit < sizes.length,
    };
  },
);

/** How many of the first ones fit on a page; at least one. */
function countFitting(sizes: readonly { bytes: number }[]): number {
  let total = 0;
  const over = sizes.findIndex(({ bytes }) => {
    total += bytes;
    return total > maximumPageBytes;
  });
  return over === -1 ? sizes.length : Math.max(1, over);
}

const sizesOfPlayer = statement<
  { gameId: string; wallet: string; limit: number; skip: number },
  { bytes: number }
>(
  `SELECT octet_length(json) AS bytes FROM states WHERE game_id = @gameId AND wallet = @wallet
    ORDER BY revision DESC LIMIT @limit OFFSET @skip`,
);

/** A game's states without what is in them, by wallet and label; of one player where a wallet is given. */
export const listGameStates = query(
  'listGameStates',
  function* (read: Read, { gameId, wallet }: GameFilter, page: Page): ReadSteps<Paged<StateSummary>> {
    const filter = { gameId, from: wallet ?? '', to: wallet ?? '~' };
    const counted = yield* read.first(countOfGame, filter);
    const rows = yield* read.all(selectOfGame, { ...filter, limit: page.limit, skip: page.skip });
    return { total: counted?.total ?? 0, rows: [...rows] };
  },
);

/** The content id of a player's state; null where there is none. Its text is not read. */
export const stateContentId = query(
  'stateContentId',
  function* (read: Read, { gameId, wallet }: Owner, label: string): ReadSteps<string | null> {
    return (yield* read.first(selectContentId, { gameId, wallet, label }))?.ipfsHash ?? null;
  },
);

/** The text of a player's state, as long as it has this content id; null when it has another, or is gone. */
export const stateText = query(
  'stateText',
  function* (
    read: Read,
    { gameId, wallet }: Owner,
    label: string,
    ipfsHash: string,
  ): ReadSteps<string | null> {
    const row = yield* read.get(states, gameId, wallet, label);
    return row?.ipfsHash === ipfsHash ? row.json : null;
  },
);

const selectContentId = statement<{ gameId: string; wallet: string; label: string }, { ipfsHash: string }>(
  `SELECT ipfs_hash AS "ipfsHash" FROM states WHERE game_id = @gameId AND wallet = @wallet AND label = @label`,
);

/** One player's, or (from before to behind every address) everybody's. */
const matching = 'game_id = @gameId AND wallet BETWEEN @from AND @to';
const countOfGame = statement<{ gameId: string; from: string; to: string }, { total: number }>(
  `SELECT count(*) AS total FROM states WHERE ${matching}`,
);
// In the order of the unique index, so that a page deep in a large game sorts nothing.
const selectOfGame = statement<
  { gameId: string; from: string; to: string; limit: number; skip: number },
  StateSummary
>(
  `SELECT id AS _id, game_id AS "gameId", ipfs_hash AS "ipfsHash", wallet AS "normalizedAddress", label,
      updated_at AS "updatedAt", octet_length(json) AS bytes
    FROM states WHERE ${matching} ORDER BY wallet, label LIMIT @limit OFFSET @skip`,
);
