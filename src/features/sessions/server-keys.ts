import { command, type Steps } from '../../core/storage/command.ts';
import { query, type ReadSteps } from '../../core/storage/query.ts';
import { serverKeys } from './tables.ts';

/** Names of the server's own keys in the database, encrypted; used when nodes share no data directory. */
export type ServerKeyName = 'token-keys' | 'admin-token';

/** The current key, encrypted; null when there is none. */
export const serverKey = query(
  'serverKey',
  function* (read, name: ServerKeyName): ReadSteps<{ readonly sealed: string } | null> {
    return (yield* read.get(serverKeys, name)) ?? null;
  },
  { max: 10, keyOf: (name) => name },
);

/** Stores a key unless one of that name exists; returns the stored one. */
export const keepServerKey = command(
  'keepServerKey',
  function* (tx, name: ServerKeyName, sealed: string): Steps<string> {
    return (yield* tx.lock(serverKeys, name, { name, sealed, changedAt: tx.now })).sealed;
  },
);

/** Replaces the key `before` (null: no key) with another; returns false when it has changed in the meantime. */
export const replaceServerKey = command(
  'replaceServerKey',
  function* (tx, name: ServerKeyName, before: string | null, sealed: string): Steps<boolean> {
    const row = yield* tx.lock(serverKeys, name);
    if ((row?.sealed ?? null) !== before) return false;
    tx.put(serverKeys, { name, sealed, changedAt: tx.now });
    return true;
  },
);
