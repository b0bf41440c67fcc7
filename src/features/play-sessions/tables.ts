import { table } from '../../core/storage/table.ts';

const columns = {
  id: 'uuid',
  gameId: 'uuid',
  wallet: 'text',
  state: 'json',
  startedAt: 'ms',
  updatedAt: 'ms',
  endTime: 'ms?',
} as const;

export const playSessions = table('play_sessions', columns, {
  key: ['id'],
  of: { player: 'wallet', game: 'gameId', texts: ['state'] },
});
