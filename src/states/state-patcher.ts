import type { Owner } from '../core/schemas/owner.ts';
import type { Database } from '../core/storage/database.ts';
import { GantryError, type Reason } from '../errors.ts';
import { patchState, requireVersion, saveState, type WriteOptions } from './commands.ts';
import { mergedInWriteBytes } from './merge-patch.ts';
import { listPlayerStates, stateBytes } from './queries.ts';
import type { StateHead } from './state.ts';
import type { StateReader } from './state-reader.ts';
import type { StoredState } from './stored-state.ts';
import { refuseOtherVersion } from './version-conflict.ts';

/**
 * What a write of a patch answers; without the text where it was carried out before, under the same idempotency key, as a
 * write of the whole state.
 */
type Written = StateHead & { json?: string };

/** So often a large state is merged that others write meanwhile. */
const mostMerges = 5;

/**
 * Merges patches into states. Small ones are merged within the write. Large ones would hold up the writes of others: they
 * are merged in a thread and written if the state still has the version that was merged into, or merged again. Those that
 * come to this process take turns, so that they do not make each other's work in vain.
 */
export class StatePatcher {
  readonly #reader: StateReader;
  /** The last large merge that was asked for, by state. */
  readonly #last = new Map<string, Promise<unknown>>();

  constructor(reader: StateReader) {
    this.#reader = reader;
  }

  /**
   * `patch` is a JSON merge patch (RFC 7396), as text. The first write to `db` that succeeds is the patch, whole: so it can
   * be carried out once under an idempotency key, and together with others.
   * @throws GantryError `version_conflict`, also without `ifVersion` when others write a large state again and again;
   * `state_too_large`, `storage_full`
   */
  async patch(
    db: Database,
    owner: Owner,
    label: string,
    patch: string,
    quota: number,
    options: WriteOptions,
  ): Promise<StoredState> {
    const bytes = (await db.read(stateBytes, owner, label)) + Buffer.byteLength(patch);
    const small =
      bytes <= mergedInWriteBytes ? await patchWithinWrite(db, owner, label, patch, quota, options) : null;
    const written =
      small ??
      (await this.#inTurn(owner, label, () => this.#patchLarge(db, owner, label, patch, quota, options)));
    return asKeptNow(db, owner, written);
  }

  async #inTurn<Result>(owner: Owner, label: string, merge: () => Promise<Result>): Promise<Result> {
    const name = JSON.stringify([owner.gameId, owner.wallet, label]);
    const before = this.#last.get(name) ?? Promise.resolve();
    const merging = before.then(merge, merge);
    this.#last.set(name, merging);
    try {
      return await merging;
    } finally {
      if (this.#last.get(name) === merging) this.#last.delete(name);
    }
  }

  async #patchLarge(
    db: Database,
    owner: Owner,
    label: string,
    patch: string,
    quota: number,
    options: WriteOptions,
  ): Promise<Written> {
    for (let merges = 1; ; merges++) {
      const [there] = await db.read(listPlayerStates, owner, { limit: 1, skip: 0 }, label);
      if (options.ifVersion !== undefined && options.ifVersion !== (there?.version ?? 0)) {
        const before: Written | null = await db.write(requireVersion, owner, label, options.ifVersion);
        if (before) return before; // carried out before, under the same idempotency key
        refuseOtherVersion(label, there?.version, options.ifVersion);
      }
      const { json, ipfsHash } = await this.#reader.merge(there?.json ?? null, patch);
      const ifThere = { ...options, ifVersion: there?.version ?? 0 };
      try {
        const written: Written = await db.write(saveState, owner, label, json, ipfsHash, quota, ifThere);
        return written.ipfsHash === ipfsHash ? { ...written, json } : written;
      } catch (error) {
        if (!isRefusal(error, 'version_conflict') || merges === mostMerges) throw error;
      }
    }
  }
}

/** Null: the state has grown in between, and is too large for it. */
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
 * The state that a patch has written, read where only its head is known, if it is still there.
 * @throws GantryError `states_changed`
 */
async function asKeptNow(db: Database, owner: Owner, written: Written): Promise<StoredState> {
  const { json, label, ipfsHash, version } = written;
  if (json !== undefined) return { ...written, json };
  const [there] = await db.read(listPlayerStates, owner, { limit: 1, skip: 0 }, label);
  if (there?.ipfsHash === ipfsHash) return { ...written, json: there.json };
  throw new GantryError(
    'states_changed',
    `This patch was carried out before, as version ${version} of "${label}", which was written again since: read it`,
  );
}

function isRefusal(error: unknown, reason: Reason): boolean {
  return error instanceof GantryError && error.reason === reason;
}
