import { table } from '../storage/table.ts';

/** Every event that is kept. Written by `Tx.emit`; a command may empty what an event says (`blankEvents`). */
export const events = table(
  'events',
  { stream: 'stream', seq: 'int', name: 'text', record: 'json', at: 'ms' },
  { key: ['stream', 'seq'] },
);
