import { lockPlayer } from '../core/events/stream-locks.ts';
import type { Owner } from '../core/schemas/owner.ts';
import {
  command,
  type ExclusiveTx,
  exclusiveCommand,
  type Request,
  type Steps,
  type Tx,
} from '../core/storage/command.ts';
import { statement } from '../core/storage/statement.ts';
import { GantryError } from '../errors.ts';
import { countedBytes, countedRowBytes, countStored } from '../storage-quota/count-stored.ts';
import { storageUse } from '../storage-quota/tables.ts';
import { mergedInWriteBytes, mergedState } from './merge-patch.ts';
import type { CanonicalState, StateHead } from './state.ts';
import { type StoredState, toHead } from './stored-state.ts';
import { type StateRow, states } from './tables.ts';
import { refuseOtherVersion } from './version-conflict.ts';

/** So many states one command hides: other writes wait for no more than that. */
const hiddenAtOnce = 500;

/** What may be said of a write. */
export interface WriteOptions {
  /** The version that must be there; 0: none must. */
  ifVersion?: number | undefined;
  /** Whether other players may read it; left out: as before, and a new state is private. */
  public?: boolean | undefined;
}

/** A state to be written; `json` is canonical and `ipfsHash` its content id. */
export interface StateWrite extends CanonicalState, WriteOptions {
  label: string;
}

/** What is known of a state that is about to be written, and the bytes of its text. */
type Before = readonly [Pick<StateRow, 'id' | 'version' | 'isPrivate'> | undefined, number | undefined];

/** A state as it is to be; the version of a new one is still open. */
interface Change {
  row: StateRow;
  isNew: boolean;
  /** It counts so much more than before. */
  bytes: number;
}

/**
 * Upserts on (game, player, label). `json` is canonical and `ipfsHash` its content id; `quota` is the most bytes the player
 * may keep in the game. Returns all but the state.
 * @throws GantryError `version_conflict`, `storage_full`
 */
export const saveState = command(
  'saveState',
  function* (
    tx: Tx,
    owner: Owner,
    label: string,
    json: string,
    ipfsHash: string,
    quota?: number,
    options: WriteOptions = {},
  ): Steps<StateHead> {
    const [, revision, before] = yield* tx.all(
      lockPlayer(tx, owner),
      lastRevision(tx, owner),
      lookAt(tx, owner, label),
    );
    const change = changeOf(tx, owner, { label, json, ipfsHash, ...options }, before, revision + 1);
    return toHead(yield* writeOne(tx, owner, change, quota));
  },
);

/**
 * The same for several labels, each once: all of them or none.
 * @throws GantryError `version_conflict` for the first that is there in another version, `storage_full`
 */
export const saveStates = command(
  'saveStates',
  function* (tx: Tx, owner: Owner, writes: readonly StateWrite[], quota?: number): Steps<StateHead[]> {
    const [, revision, before] = yield* tx.all(
      lockPlayer(tx, owner),
      lastRevision(tx, owner),
      tx.all(...writes.map(({ label }) => lookAt(tx, owner, label))),
    );
    const changes = writes.map((write, at) =>
      changeOf(tx, owner, write, before[at] ?? [undefined, undefined], revision + 1 + at),
    );
    const bytes = changes.reduce((total, change) => total + change.bytes, 0);
    yield* countStored(tx, owner, bytes, quota);
    const removed = yield* removedVersionFor(tx, owner, changes);
    return changes.map((change) => toHead(write(tx, change, removed)));
  },
);

/**
 * Merges a patch (RFC 7396, as text) into the state under a label, or into none.
 * @throws GantryError `version_conflict`, `storage_full`; `states_changed` when they are too large together to be merged
 * while other writes wait: the state has grown since `stateBytes` was asked
 */
export const patchState = command(
  'patchState',
  function* (
    tx: Tx,
    owner: Owner,
    label: string,
    patch: string,
    quota?: number,
    options: WriteOptions = {},
  ): Steps<StoredState> {
    const [, revision, before] = yield* tx.all(
      lockPlayer(tx, owner),
      lastRevision(tx, owner),
      lookAt(tx, owner, label),
    );
    const [there, bytes = 0] = before;
    if (bytes + Buffer.byteLength(patch) > mergedInWriteBytes) {
      throw new GantryError(
        'states_changed',
        `The state "${label}" was written again and again meanwhile; nothing was done, send the patch again`,
      );
    }
    const stored = there && (yield* tx.get(states, owner.gameId, owner.wallet, label));
    const { json, ipfsHash } = mergedState(stored?.json ?? null, patch);
    const change = changeOf(tx, owner, { label, json, ipfsHash, ...options }, before, revision + 1);
    return { ...toHead(yield* writeOne(tx, owner, change, quota)), json };
  },
);

/** Writes nothing, and answers null. @throws GantryError `version_conflict` */
export const requireVersion = command(
  'requireVersion',
  function* (tx: Tx, { gameId, wallet }: Owner, label: string, ifVersion: number): Steps<null> {
    const there = yield* tx.peek(states, ['version'], gameId, wallet, label);
    refuseOtherVersion(label, there?.version, ifVersion);
    return null;
  },
);

/** What was removed; null: there was none. @throws GantryError `version_conflict` */
export const removeState = command(
  'removeState',
  function* (tx: Tx, owner: Owner, label: string, ifVersion?: number): Steps<StateHead | null> {
    const { gameId, wallet } = owner;
    const [, there] = yield* tx.all(
      lockPlayer(tx, owner),
      tx.peek(states, ['version'], gameId, wallet, label),
    );
    refuseOtherVersion(label, there?.version, ifVersion);
    const row = there && (yield* tx.get(states, gameId, wallet, label));
    if (!row) return null;
    yield* countStored(tx, owner, -countedBytes(row.json));
    const use = yield* tx.get(storageUse, gameId, wallet);
    tx.remove(states, row);
    if (use && use.removedVersion < row.version) {
      tx.put(storageUse, { ...use, removedVersion: row.version });
    }
    return toHead(row);
  },
);

/** Makes states of a player in every game private, a limited number at a time; true: there may be more. */
export const hideStatesOf = exclusiveCommand(
  'hideStatesOf',
  function* (tx: ExclusiveTx, wallet: string): Steps<boolean> {
    return (yield* tx.run(hideStates, { wallet, limit: hiddenAtOnce })) === hiddenAtOnce;
  },
);

const hideStates = statement<{ wallet: string; limit: number }>(
  `UPDATE states SET is_private = 1 WHERE (game_id, wallet, label) IN (
    SELECT game_id, wallet, label FROM states WHERE wallet = @wallet AND is_private IS NULL LIMIT @limit)`,
  { changes: [states] },
);

/** The number of the player's last update in the game. */
function lastRevision(tx: Tx, { gameId, wallet }: Owner): Request<number> {
  return tx.max(states.byUpdate, [gameId, wallet]);
}

function lookAt(tx: Tx, { gameId, wallet }: Owner, label: string): Request<Before> {
  return tx.all(
    tx.peek(states, ['id', 'version', 'isPrivate'], gameId, wallet, label),
    tx.octets(states, 'json', gameId, wallet, label),
  );
}

/** @throws GantryError `version_conflict` */
function changeOf(
  tx: Tx,
  { gameId, wallet }: Owner,
  { label, json, ipfsHash, ifVersion, public: isPublic }: StateWrite,
  [there, bytes]: Before,
  revision: number,
): Change {
  refuseOtherVersion(label, there?.version, ifVersion);
  const isPrivate = isPublic === undefined ? (there ? there.isPrivate : 1) : isPublic ? null : 1;
  return {
    row: {
      id: there?.id ?? tx.newId(),
      gameId,
      wallet,
      label,
      ipfsHash,
      json,
      updatedAt: tx.now,
      revision,
      version: (there?.version ?? 0) + 1,
      isPrivate,
    },
    isNew: there === undefined,
    bytes: countedBytes(json) - (bytes === undefined ? 0 : countedRowBytes + bytes),
  };
}

/** @throws GantryError `storage_full` */
function* writeOne(tx: Tx, owner: Owner, change: Change, quota?: number): Steps<StateRow> {
  yield* countStored(tx, owner, change.bytes, quota);
  return write(tx, change, yield* removedVersionFor(tx, owner, [change]));
}

/**
 * Behind which version new states among these begin. To be asked before any is written: a row that was not read as a whole
 * cannot be read again once it was written.
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
  const first = { ...row, version: removedVersion + 1 };
  tx.insert(states, first);
  return first;
}
