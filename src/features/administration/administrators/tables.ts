import { type RowOf, table } from '../../../core/storage/table.ts';

const columns = {
  id: 'uuid',
  name: 'text',
  /** See `nameKeyOf`. */
  nameKey: 'text',
  role: 'text',
  /** Hex SHA-256 of the token. */
  tokenHash: 'text',
  createdAt: 'ms',
  /** Null: never. */
  expiresAt: 'ms?',
  /** Null: not yet. */
  lastUsedAt: 'ms?',
} as const;

/** Named administrators. Revoking one deletes the row. */
export const administrators = table('administrators', columns, {
  key: ['id'],
  indexes: {
    byName: { on: ['nameKey'], unique: true },
    byToken: { on: ['tokenHash'], unique: true },
  },
});
export type AdministratorRow = RowOf<typeof columns>;
