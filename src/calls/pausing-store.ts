import type { Pause, Store } from '../core/storage/store.ts';

/** A store for one expensive call: between its reads, and within them, others may run. */
export function pausingStore(store: Store, pause: Pause): Store {
  return {
    async read(query, ...args) {
      if (store.readInParts) return store.readInParts(pause, query, ...args);
      const due = pause.pause();
      if (due) await due;
      return store.read(query, ...args);
    },
    write: (command, ...args) => store.write(command, ...args),
  };
}
