import { type RowOf, table } from '../../core/storage/table.ts';

const webhookColumns = {
  id: 'uuid',
  gameId: 'uuid',
  url: 'text',
  filter: 'text',
  /** 0 or 1. */
  enabled: 'int',
  /** Why it is not enabled, if no administrator disabled it. */
  disabledReason: 'text?',
  /** 0 or 1: removed and hidden; its deliveries are deleted in batches, then the row. */
  removed: 'int',
  createdAt: 'ms',
  updatedAt: 'ms',
} as const;

export const webhooks = table('webhooks', webhookColumns, {
  key: ['id'],
  indexes: { byGame: { on: ['gameId', 'removed', 'createdAt', 'id'] } },
  of: { game: 'gameId', stays: 'registered again, so that no two servers deliver the same' },
  cachedByWriter: true,
  cacheable: 'lists',
});
export type WebhookRow = RowOf<typeof webhookColumns>;

const secretColumns = {
  webhookId: 'uuid',
  /** Numbers the webhook's secrets in order of creation. */
  position: 'int',
  /** Encrypted. */
  sealed: 'text',
  createdAt: 'ms',
  /** Null: never. */
  expiresAt: 'ms?',
} as const;

/** The secrets that sign deliveries: all that have not expired, so that a receiver can switch from one to the next. */
export const webhookSecrets = table('webhook_secrets', secretColumns, {
  key: ['webhookId', 'position'],
  indexes: { byWebhook: { on: ['webhookId', 'position'] } },
  of: { via: { table: webhooks, column: 'webhookId' }, stays: 'of webhooks' },
});
export type WebhookSecretRow = RowOf<typeof secretColumns>;
