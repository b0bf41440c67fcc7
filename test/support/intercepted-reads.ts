import type { Database } from '../../src/core/storage/database.ts';
import type { Query } from '../../src/core/storage/query.ts';

/** Wraps the result of each query; when it throws or rejects, the caller receives that error. */
export interface Interception {
  /** `call` counts from 1. */
  before?(args: readonly unknown[], call: number): unknown;
  after?(call: number): unknown;
}

/** Intercepts one query of a database; other queries are unaffected. */
export function interceptReads<Args extends unknown[], Result>(
  db: Pick<Database, 'read'>,
  query: Query<Args, Result>,
  { before, after }: Interception,
) {
  const unbound = db.read;
  const read = unbound.bind(db) as Database['read']; // `bind` loses the generic signature
  const intercepted = {
    calls: 0,
    restore() {
      db.read = unbound;
    },
  };
  db.read = async <A extends unknown[], R>(requested: Query<A, R>, ...args: A): Promise<R> => {
    if (requested.queryName !== query.queryName) return read(requested, ...args);
    const call = ++intercepted.calls;
    await before?.(args, call);
    const answer = await read(requested, ...args);
    await after?.(call);
    return answer;
  };
  return intercepted;
}
