import { command, type Steps, type Tx } from '../core/storage/command.ts';
import { query, type Read, type ReadSteps } from '../core/storage/query.ts';
import { serverKeys } from './tables.ts';

/** What is kept of the server's own keys in the database, encrypted, where nodes share no data directory. */
export type ServerKeyName = 'token-keys' | 'admin-token';

/** The key as it is now, encrypted; null where there is none. */
export const serverKey = query(
  'serverKey',
  function* (read: Read, name: ServerKeyName): ReadSteps<{ readonly sealed: string } | null> {
    return (yield* read.get(serverKeys, name)) ?? null;
  },
  { max: 10, keyOf: (name) => name },
);

/** Keeps a key unless there is one of that name; answers what is kept. */
export const keepServerKey = command(
  'keepServerKey',
  function* (tx: Tx, name: ServerKeyName, sealed: string): Steps<string> {
    return (yield* tx.lock(serverKeys, name, { name, sealed, changedAt: tx.now })).sealed;
  },
);

/** Puts another key in the place of `before` (null: of none); false where there is another one by now. */
export const replaceServerKey = command(
  'replaceServerKey',
  function* (tx: Tx, name: ServerKeyName, before: string | null, sealed: string): Steps<boolean> {
    const row = yield* tx.lock(serverKeys, name);
    if ((row?.sealed ?? null) !== before) return false;
    tx.put(serverKeys, { name, sealed, changedAt: tx.now });
    return true;
  },
);
