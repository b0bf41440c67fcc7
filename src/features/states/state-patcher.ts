import { GantryError, type Reason } from '../../core/errors.ts';
import type { Owner } from '../../core/schemas/owner.ts';
import type { Store } from '../../core/storage/store.ts';
import { patchState, requireVersion, saveState, type WriteOptions } from './commands.ts';
import { maxInlineMergeBytes } from './merge-patch.ts';
import { listPlayerStates, stateBytes } from './queries.ts';
import type { StateHead, StoredState } from './state.ts';
import type { StateReader } from './state-reader.ts';
import { refuseOtherVersion } from './version-conflict.ts';

/**
 * The result of writing a patch; without the text when it was replayed, under the same idempotency key, from an earlier
 * write of the whole state.
 */
type Written = StateHead & { json?: string };

/** Maximum merge attempts for a large state that is modified concurrently. */
const maxMergeAttempts = 5;

/**
 * Merges patches into states. Small ones are merged within the write. Large ones would block other writes: they are
 * merged in a worker thread and written if the state still has the version they were merged into; otherwise the merge
 * is retried. Within this process, large merges into the same state are serialized, so that they do not invalidate each
 * other.
 */
export class StatePatcher {
  readonly #reader: StateReader;
  /** The most recently queued large merge, by state. */
  readonly #last = new Map<string, Promise<unknown>>();

  constructor(reader: StateReader) {
    this.#reader = reader;
  }

  /**
   * `patch` is a JSON merge patch (RFC 7396), as text. The first write to `db` that succeeds is the complete patch, so
   * it can run under an idempotency key and in a batch.
   * @throws GantryError `version_conflict`, also without `ifVersion` when a large state keeps being modified
   * concurrently; `state_too_large`, `storage_full`
   */
  async patch(
    db: Store,
    owner: Owner,
    label: string,
    patch: string,
    quota: number,
    options: WriteOptions,
  ): Promise<StoredState> {
    const bytes = (await db.read(stateBytes, owner, label)) + Buffer.byteLength(patch);
    const small =
      bytes <= maxInlineMergeBytes ? await patchWithinWrite(db, owner, label, patch, quota, options) : null;
    const written =
      small ??
      (await this.#serialize(owner, label, () => this.#patchLarge(db, owner, label, patch, quota, options)));
    return withText(db, owner, written);
  }

  async #serialize<Result>(owner: Owner, label: string, merge: () => Promise<Result>): Promise<Result> {
    const name = JSON.stringify([owner.gameId, owner.wallet, label]);
    const previous = this.#last.get(name) ?? Promise.resolve();
    const merging = previous.then(merge, merge);
    this.#last.set(name, merging);
    try {
      return await merging;
    } finally {
      if (this.#last.get(name) === merging) this.#last.delete(name);
    }
  }

  async #patchLarge(
    db: Store,
    owner: Owner,
    label: string,
    patch: string,
    quota: number,
    options: WriteOptions,
  ): Promise<Written> {
    for (let attempt = 1; ; attempt++) {
      const [existing] = await db.read(listPlayerStates, owner, { limit: 1, skip: 0 }, label);
      if (options.ifVersion !== undefined && options.ifVersion !== (existing?.version ?? 0)) {
        const replayed: Written | null = await db.write(requireVersion, owner, label, options.ifVersion);
        if (replayed) return replayed; // written before, under the same idempotency key
        refuseOtherVersion(label, existing?.version, options.ifVersion);
      }
      const { json, ipfsHash } = await this.#reader.merge(existing?.json ?? null, patch);
      const ifUnchanged = { ...options, ifVersion: existing?.version ?? 0 };
      try {
        const written: Written = await db.write(saveState, owner, label, json, ipfsHash, quota, ifUnchanged);
        return written.ipfsHash === ipfsHash ? { ...written, json } : written;
      } catch (error) {
        if (!isRefusal(error, 'version_conflict') || attempt === maxMergeAttempts) throw error;
      }
    }
  }
}

/** Null: the state has grown in the meantime and is too large to merge within the write. */
async function patchWithinWrite(...args: Parameters<StatePatcher['patch']>): Promise<Written | null> {
  const [db, ...patch] = args;
  try {
    return await db.write(patchState, ...patch);
  } catch (error) {
    if (isRefusal(error, 'states_changed')) return null;
    throw error;
  }
}

/**
 * The state that a patch wrote; its text is read when the result lacks it.
 * @throws GantryError `states_changed` when the state was written again since
 */
async function withText(db: Store, owner: Owner, written: Written): Promise<StoredState> {
  const { json, label, ipfsHash, version } = written;
  if (json !== undefined) return { ...written, json };
  const [current] = await db.read(listPlayerStates, owner, { limit: 1, skip: 0 }, label);
  if (current?.ipfsHash === ipfsHash) return { ...written, json: current.json };
  throw new GantryError(
    'states_changed',
    `This patch was already applied, as version ${version} of "${label}", which has changed since; read the state again`,
  );
}

function isRefusal(error: unknown, reason: Reason): boolean {
  return error instanceof GantryError && error.reason === reason;
}
