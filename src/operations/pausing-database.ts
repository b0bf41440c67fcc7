import type { Database, Pause } from '../core/storage/database.ts';

/** A database for one expensive call: between its reads, and within them, others may run. */
export function pausingDatabase(db: Database, pause: Pause): Database {
  return {
    async read(query, ...args) {
      if (db.readInParts) return db.readInParts(pause, query, ...args);
      const due = pause.pause();
      if (due) await due;
      return db.read(query, ...args);
    },
    write: (command, ...args) => db.write(command, ...args),
    onCommit: (listener) => db.onCommit(listener),
    onWake: (listener) => db.onWake(listener),
    onTrouble: (listener) => db.onTrouble(listener),
    onNewEpoch: (listener) => db.onNewEpoch(listener),
    stats: () => db.stats(),
    close: () => db.close(),
  };
}
