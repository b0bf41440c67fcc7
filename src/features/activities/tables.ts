import { type RowOf, table } from '../../core/storage/table.ts';

const columns = {
  id: 'uuid',
  gameId: 'uuid',
  wallet: 'text',
  type: 'text',
  label: 'text',
  eventId: 'text',
  timestamp: 'ms',
} as const;

export const activities = table('activities', columns, {
  key: ['id'],
  orderedById: true,
  of: { player: 'wallet', game: 'gameId', texts: ['label', 'eventId'] },
  counted: { rows: 2, texts: ['label', 'eventId'] }, // and its event
});
export type ActivityRow = RowOf<typeof columns>;
