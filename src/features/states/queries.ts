import type { GameFilter, Owner } from '../../core/schemas/owner.ts';
import type { Page, Paged } from '../../core/schemas/paging.ts';
import { query, type Read, type ReadSteps, statement } from '../../core/storage/query.ts';
import { type StateSummary, type StoredState, toHead, toStoredState } from './state.ts';
import { type StateRow, states } from './tables.ts';

/** Maximum total size of the states of a page, in bytes; one state may take a quarter of it. */
export const maxPageBytes = 4 * 1024 * 1024;

export interface StatesPage {
  states: StoredState[];
  /** Whether the page was cut short to stay within `maxPageBytes`: continue after the returned states. */
  isShortened: boolean;
}

/** Selects states of a player; default: all. */
export interface StateFilter {
  label?: string | undefined;
  /** The prefix of their labels. */
  prefix?: string | undefined;
}

/** A player's states, most recently updated first; or the one under a label. */
export const listPlayerStates = query(
  'listPlayerStates',
  function* (
    read,
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

/** The same, limited to what fits into a response; with a prefix, ordered by label. */
export const readStatesPage = query(
  'readStatesPage',
  function* (read, owner: Owner, page: Page, filter: StateFilter = {}): ReadSteps<StatesPage> {
    const { label, prefix } = filter;
    const range = rangeOf(filter);
    if (!range) return { states: [], isShortened: false };
    if (label !== undefined) {
      return { states: yield* read.ask(listPlayerStates, owner, page, label), isShortened: false };
    }
    if (prefix !== undefined) return yield* pageByLabel(read, ownByLabel, owner, page, range);
    const { gameId, wallet } = owner;
    const sizes = yield* read.all(sizesOfPlayer, { gameId, wallet, limit: page.limit, skip: page.skip });
    const limit = countFitting(sizes);
    return {
      states: yield* read.ask(listPlayerStates, owner, { ...page, limit }),
      isShortened: limit < sizes.length,
    };
  },
);

/** A player's public states by label, limited to what fits into a response. */
export const readPublicStatesPage = query(
  'readPublicStatesPage',
  function* (read, owner: Owner, page: Page, filter: StateFilter = {}): ReadSteps<StatesPage> {
    const range = rangeOf(filter);
    if (!range) return { states: [], isShortened: false };
    // A single label too uses the index of public states, so that a private state is never read.
    return yield* pageByLabel(read, publicByLabel, owner, page, range);
  },
);

/** The range of selected labels; null: it is empty. */
function rangeOf({ label, prefix = '' }: StateFilter): { from: string; to: string } | null {
  if (label === undefined) return { from: prefix, to: prefix + greatestLabel };
  return label.startsWith(prefix) ? { from: label, to: label } : null;
}

function* pageByLabel(
  read: Read,
  { sizes, rows }: ReturnType<typeof byLabel>,
  { gameId, wallet }: Owner,
  { limit, skip }: Page,
  range: { from: string; to: string },
): ReadSteps<StatesPage> {
  const values = { gameId, wallet, ...range, skip };
  const found = yield* read.all(sizes, { ...values, limit });
  const fitting = countFitting(found);
  const page = fitting === 0 ? [] : yield* read.all(rows, { ...values, limit: fitting });
  return { states: page.map(toStoredState), isShortened: fitting < found.length };
}

/**
 * An upper bound of all labels, which have at most 200 characters: appended to a prefix, an upper bound of its labels.
 */
const greatestLabel = '\u{10ffff}'.repeat(200);

interface LabelRange extends Record<string, string | number> {
  gameId: string;
  wallet: string;
  from: string;
  to: string;
  limit: number;
  skip: number;
}

/** Statements for a player's states with labels from `from` to `to`, by label: their sizes, and their rows. */
function byLabel(condition: string) {
  const range = `FROM states WHERE game_id = @gameId AND wallet = @wallet AND label BETWEEN @from AND @to${condition}
    ORDER BY label LIMIT @limit OFFSET @skip`;
  return {
    sizes: statement<LabelRange, { bytes: number }>(`SELECT octet_length(json) AS bytes ${range}`),
    rows: statement<LabelRange, StateRow>(
      `SELECT id, game_id AS "gameId", wallet, label, ipfs_hash AS "ipfsHash", json, updated_at AS "updatedAt", revision,
        version, is_private AS "isPrivate" ${range}`,
    ),
  };
}

const ownByLabel = byLabel('');
const publicByLabel = byLabel(' AND is_private IS NULL');

/** How many of the first states fit on a page; at least one. */
function countFitting(sizes: readonly { bytes: number }[]): number {
  let total = 0;
  const firstOver = sizes.findIndex(({ bytes }) => {
    total += bytes;
    return total > maxPageBytes;
  });
  return firstOver === -1 ? sizes.length : Math.max(1, firstOver);
}

const sizesOfPlayer = statement<
  { gameId: string; wallet: string; limit: number; skip: number },
  { bytes: number }
>(
  `SELECT octet_length(json) AS bytes FROM states WHERE game_id = @gameId AND wallet = @wallet
    ORDER BY revision DESC LIMIT @limit OFFSET @skip`,
);

/** A game's states without their content, by wallet and label; only one player's when a wallet is given. */
export const listGameStates = query(
  'listGameStates',
  function* (read, { gameId, wallet }: GameFilter, page: Page): ReadSteps<Paged<StateSummary>> {
    const filter = { gameId, from: wallet ?? '', to: wallet ?? '~' };
    const counted = yield* read.first(countOfGame, filter);
    const rows = yield* read.all(selectOfGame, { ...filter, limit: page.limit, skip: page.skip });
    return {
      total: counted?.total ?? 0,
      rows: rows.map(({ bytes, ...row }) => ({ ...toHead(row), bytes })),
    };
  },
);

/** The size of a player's stored state in bytes; 0 when there is none. */
export const stateBytes = query(
  'stateBytes',
  function* (read, { gameId, wallet }: Owner, label: string): ReadSteps<number> {
    return (yield* read.first(selectBytes, { gameId, wallet, label }))?.bytes ?? 0;
  },
);

/** The content id of a player's state, without reading its text; null when there is none. */
export const stateContentId = query(
  'stateContentId',
  function* (read, { gameId, wallet }: Owner, label: string): ReadSteps<string | null> {
    return (yield* read.first(selectContentId, { gameId, wallet, label }))?.ipfsHash ?? null;
  },
);

/** The text of a player's state with this content id; null when it has another one now, or was removed. */
export const stateText = query(
  'stateText',
  function* (read, { gameId, wallet }: Owner, label: string, ipfsHash: string): ReadSteps<string | null> {
    const row = yield* read.get(states, gameId, wallet, label);
    return row?.ipfsHash === ipfsHash ? row.json : null;
  },
);

const selectBytes = statement<{ gameId: string; wallet: string; label: string }, { bytes: number }>(
  'SELECT octet_length(json) AS bytes FROM states WHERE game_id = @gameId AND wallet = @wallet AND label = @label',
);

const selectContentId = statement<{ gameId: string; wallet: string; label: string }, { ipfsHash: string }>(
  `SELECT ipfs_hash AS "ipfsHash" FROM states WHERE game_id = @gameId AND wallet = @wallet AND label = @label`,
);

/** One player's states, or, with a range around every address, all players'. */
const matching = 'game_id = @gameId AND wallet BETWEEN @from AND @to';
const countOfGame = statement<{ gameId: string; from: string; to: string }, { total: number }>(
  `SELECT count(*) AS total FROM states WHERE ${matching}`,
);
// Ordered by the unique index, so that a deep page of a large game needs no sort.
const selectOfGame = statement<
  { gameId: string; from: string; to: string; limit: number; skip: number },
  Omit<StateRow, 'json' | 'revision'> & { bytes: number }
>(
  `SELECT id, game_id AS "gameId", ipfs_hash AS "ipfsHash", wallet, label, updated_at AS "updatedAt", version,
      is_private AS "isPrivate", octet_length(json) AS bytes
    FROM states WHERE ${matching} ORDER BY wallet, label LIMIT @limit OFFSET @skip`,
);
