import { GantryError } from '../../core/errors.ts';
import { lockPlayer } from '../../core/events/stream-locks.ts';
import type { Owner } from '../../core/schemas/owner.ts';
import { command, exclusiveCommand, type Request, type Steps, type Tx } from '../../core/storage/command.ts';
import type { Peeked } from '../../core/storage/peek.ts';
import { statement } from '../../core/storage/query.ts';
import { anyMute, refuseMuted } from '../messages/mutes/mute.ts';
import { addStorageUse, rowOverheadBytes, storedBytes } from '../storage-quota/game-storage.ts';
import { storageUse } from '../storage-quota/tables.ts';
import { maxInlineMergeBytes, mergedState } from './merge-patch.ts';
import { type CanonicalState, type StateHead, type StoredState, toHead } from './state.ts';
import { type StateRow, states } from './tables.ts';
import { refuseOtherVersion } from './version-conflict.ts';

/** How many states one command hides; bounds how long other writes wait. */
const hideBatchSize = 500;

/** Options of a write. */
export interface WriteOptions {
  /** The version that must be stored; 0: the state must not exist. */
  ifVersion?: number | undefined;
  /** Whether other players may read it; default: unchanged, and private for a new state. */
  public?: boolean | undefined;
  /** When it was last changed, in Unix milliseconds; default: now. */
  at?: number | undefined;
}

/** A state to write; `json` is canonical and `ipfsHash` its content id. */
export interface StateWrite extends CanonicalState, WriteOptions {
  label: string;
}

/** What a write needs of the state stored before it; undefined when there is none. */
const readOfStored = ['id', 'version', 'isPrivate', 'octets(json)'] as const;
type StoredBefore = Peeked<StateRow, (typeof readOfStored)[number]> | undefined;

/** The row to write; the version of a new state is not final yet. */
interface Change {
  row: StateRow;
  isNew: boolean;
  /** Others could not read it before. */
  becomesPublic: boolean;
  /** The change in counted bytes. */
  bytes: number;
}

/**
 * Upserts on (game, player, label). `json` is canonical and `ipfsHash` its content id; `quota` is the maximum number of
 * bytes the player may store in the game. Returns the state without its content.
 * @throws GantryError `version_conflict`, `storage_full`, `muted` when it makes the state public
 */
export const saveState = command(
  'saveState',
  function* (
    tx,
    owner: Owner,
    label: string,
    json: string,
    ipfsHash: string,
    quota?: number,
    options: WriteOptions = {},
  ): Steps<StateHead> {
    if (options.public) tx.prefetch(anyMute(tx, owner));
    const [, revision, before] = yield* tx.all(
      lockPlayer(tx, owner),
      lastRevision(tx, owner),
      readBefore(tx, owner, label),
    );
    const change = changeOf(tx, owner, { label, json, ipfsHash, ...options }, before, revision + 1);
    if (change.becomesPublic) yield* refuseMuted(tx, owner, { path: 'public' });
    return toHead(yield* writeOne(tx, owner, change, quota));
  },
);

/**
 * The same for several distinct labels, atomically.
 * @throws GantryError `version_conflict` for the first one stored in another version, `storage_full`, `muted`
 */
export const saveStates = command(
  'saveStates',
  function* (tx, owner: Owner, writes: readonly StateWrite[], quota?: number): Steps<StateHead[]> {
    if (writes.some((write) => write.public)) tx.prefetch(anyMute(tx, owner));
    const [, revision, before] = yield* tx.all(
      lockPlayer(tx, owner),
      lastRevision(tx, owner),
      tx.all(...writes.map(({ label }) => readBefore(tx, owner, label))),
    );
    const changes = writes.map((write, at) => changeOf(tx, owner, write, before[at], revision + 1 + at));
    const published = changes.findIndex(({ becomesPublic }) => becomesPublic);
    if (published >= 0) yield* refuseMuted(tx, owner, { path: `states.${published}.public` });
    const bytes = changes.reduce((total, change) => total + change.bytes, 0);
    yield* addStorageUse(tx, owner, bytes, quota);
    const removed = yield* removedVersionFor(tx, owner, changes);
    return changes.map((change) => toHead(write(tx, change, removed)));
  },
);

/**
 * Merges a patch (RFC 7396, as text) into the state under a label, or into an empty one when there is none.
 * @throws GantryError `version_conflict`, `storage_full`, `muted`; `states_changed` when the two are together too large to merge
 * within the write: the state has grown since `stateBytes` was read
 */
export const patchState = command(
  'patchState',
  function* (
    tx,
    owner: Owner,
    label: string,
    patch: string,
    quota?: number,
    options: WriteOptions = {},
  ): Steps<StoredState> {
    if (options.public) tx.prefetch(anyMute(tx, owner));
    const [, revision, before] = yield* tx.all(
      lockPlayer(tx, owner),
      lastRevision(tx, owner),
      readBefore(tx, owner, label),
    );
    if ((before?.['octets(json)'] ?? 0) + Buffer.byteLength(patch) > maxInlineMergeBytes) {
      throw new GantryError(
        'states_changed',
        `The state "${label}" was modified concurrently; nothing was written, so send the patch again`,
      );
    }
    const stored = before && (yield* tx.get(states, owner.gameId, owner.wallet, label));
    const { json, ipfsHash } = mergedState(stored?.json ?? null, patch);
    const change = changeOf(tx, owner, { label, json, ipfsHash, ...options }, before, revision + 1);
    if (change.becomesPublic) yield* refuseMuted(tx, owner, { path: 'public' });
    return { ...toHead(yield* writeOne(tx, owner, change, quota)), json };
  },
);

/** Checks the version without writing; returns null. @throws GantryError `version_conflict` */
export const requireVersion = command(
  'requireVersion',
  function* (tx, { gameId, wallet }: Owner, label: string, ifVersion: number): Steps<null> {
    const existing = yield* tx.peek(states, ['version'], gameId, wallet, label);
    refuseOtherVersion(label, existing?.version, ifVersion);
    return null;
  },
);

/** Returns the removed state; null: there was none. @throws GantryError `version_conflict` */
export const removeState = command(
  'removeState',
  function* (tx, owner: Owner, label: string, ifVersion?: number): Steps<StateHead | null> {
    const { gameId, wallet } = owner;
    const [, existing] = yield* tx.all(
      lockPlayer(tx, owner),
      tx.peek(states, ['version'], gameId, wallet, label),
    );
    refuseOtherVersion(label, existing?.version, ifVersion);
    const row = existing && (yield* tx.get(states, gameId, wallet, label));
    if (!row) return null;
    yield* addStorageUse(tx, owner, -storedBytes(row.json));
    const use = yield* tx.get(storageUse, gameId, wallet);
    tx.remove(states, row);
    if (use && use.removedVersion < row.version) {
      tx.put(storageUse, { ...use, removedVersion: row.version });
    }
    return toHead(row);
  },
);

/** Makes a batch of a player's states private, in any game. Returns true when there may be more. */
export const hideStatesOf = exclusiveCommand('hideStatesOf', function* (tx, wallet: string): Steps<boolean> {
  return (yield* tx.run(hideStates, { wallet, limit: hideBatchSize })) === hideBatchSize;
});

const hideStates = statement<{ wallet: string; limit: number }>(
  `UPDATE states SET is_private = 1 WHERE (game_id, wallet, label) IN (
    SELECT game_id, wallet, label FROM states WHERE wallet = @wallet AND is_private IS NULL LIMIT @limit)`,
  { changes: [states] },
);

/** The revision of the player's latest update in the game. */
function lastRevision(tx: Tx, { gameId, wallet }: Owner): Request<number> {
  return tx.max(states.byUpdate, [gameId, wallet]);
}

function readBefore(tx: Tx, { gameId, wallet }: Owner, label: string): Request<StoredBefore> {
  return tx.peek(states, readOfStored, gameId, wallet, label);
}

/** @throws GantryError `version_conflict` */
function changeOf(
  tx: Tx,
  { gameId, wallet }: Owner,
  { label, json, ipfsHash, ifVersion, public: isPublic, at = tx.now }: StateWrite,
  existing: StoredBefore,
  revision: number,
): Change {
  refuseOtherVersion(label, existing?.version, ifVersion);
  const isPrivate = isPublic === undefined ? (existing ? existing.isPrivate : 1) : isPublic ? null : 1;
  return {
    row: {
      id: existing?.id ?? tx.newId(),
      gameId,
      wallet,
      label,
      ipfsHash,
      json,
      updatedAt: at,
      revision,
      version: (existing?.version ?? 0) + 1,
      isPrivate,
    },
    isNew: existing === undefined,
    becomesPublic: isPrivate === null && existing?.isPrivate !== null,
    bytes: storedBytes(json) - (existing ? rowOverheadBytes + existing['octets(json)'] : 0),
  };
}

/** @throws GantryError `storage_full` */
function* writeOne(tx: Tx, owner: Owner, change: Change, quota?: number): Steps<StateRow> {
  yield* addStorageUse(tx, owner, change.bytes, quota);
  return write(tx, change, yield* removedVersionFor(tx, owner, [change]));
}

/**
 * The version after which new states among these start. Call this before any of them is written: a row that was only
 * partly read cannot be read again once it is written.
 */
function* removedVersionFor(tx: Tx, { gameId, wallet }: Owner, changes: readonly Change[]): Steps<number> {
  if (!changes.some(({ isNew }) => isNew)) return 0;
  return (yield* tx.get(storageUse, gameId, wallet))?.removedVersion ?? 0;
}

function write(tx: Tx, { row, isNew }: Change, removedVersion: number): StateRow {
  if (!isNew) {
    tx.put(states, row);
    return row;
  }
  const created = { ...row, version: removedVersion + 1 };
  tx.insert(states, created);
  return created;
}
