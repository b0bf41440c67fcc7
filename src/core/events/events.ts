import { table } from '../storage/table.ts';

/** All retained events. Written by `Tx.emit`; commands may redact an event's text (`redactEvents`). */
export const events = table(
  'events',
  { stream: 'stream', seq: 'int', name: 'text', record: 'json', at: 'ms' },
  { key: ['stream', 'seq'] },
);
