import type { Page, Paged } from '../../core/schemas/paging.ts';
import { columnsOf, query, type ReadSteps, statement } from '../../core/storage/query.ts';
import { readActionPage } from '../queue/queries.ts';
import { maxSecrets } from './commands.ts';
import type { DeliveryFilter } from './delivery.ts';
import { type WebhookRow, webhookSecrets, webhooks } from './tables.ts';
import {
  maxWebhooks,
  signingSecrets,
  toDelivery,
  toWebhook,
  toWebhookRecord,
  type WebhookDelivery,
  type WebhookRecord,
} from './webhook.ts';

export const findWebhook = query(
  'findWebhook',
  function* (read, webhookId: string): ReadSteps<WebhookRecord | null> {
    return toWebhook(yield* read.get(webhooks, webhookId));
  },
);

/** Webhooks of one game or of all, oldest first. */
export const readWebhooks = query('readWebhooks', function* (read, gameId?: string): ReadSteps<
  WebhookRecord[]
> {
  const rows =
    gameId === undefined
      ? yield* read.all(allWebhooks, {})
      : yield* read.list(webhooks.byGame, [gameId, 0], { limit: maxWebhooks });
  return rows.map(toWebhookRecord);
});

/** The secrets that sign deliveries now, newest first; encrypted. */
export const readSealedSecrets = query('readSealedSecrets', function* (read, webhookId: string): ReadSteps<
  string[]
> {
  const rows = yield* read.list(webhookSecrets.byWebhook, [webhookId], {
    limit: maxSecrets,
    last: true,
  });
  return signingSecrets(rows, read.now);
});

/** Newest first. */
export const readDeliveries = query(
  'readDeliveries',
  function* (read, filter: DeliveryFilter, page: Page): ReadSteps<Paged<WebhookDelivery>> {
    const { webhookId: lane = null, gameId = null, state = null } = filter;
    const given = { lane, gameId, state, kind: 'webhook' };
    const { total, rows } = yield* readActionPage(read, given, page, ["lane <> ''"]);
    return { total, rows: rows.map(toDelivery) };
  },
);

/** A webhook that `claimDeliveries` has work for. */
export interface DueWebhook {
  id: string;
  url: string;
}

/**
 * Webhooks with due, unclaimed deliveries, disabled ones with any unclaimed, and removed ones; in random order, for
 * fairness when there is no room for all.
 */
export const listDueWebhooks = query('listDueWebhooks', function* (read): ReadSteps<readonly DueWebhook[]> {
  return yield* read.all(dueWebhooks, { now: read.now });
});

const allWebhooks = statement<Record<string, never>, WebhookRow>(
  `SELECT ${columnsOf(webhooks)} FROM webhooks WHERE removed = 0 ORDER BY created_at, id`,
);

const open = `kind = 'webhook' AND ended_at IS NULL`;
// A loose index scan over webhooks with open deliveries: many webhooks have none, and some have many.
const dueText = (webhookId: string) =>
  `WITH RECURSIVE lanes (lane) AS (
     SELECT min(lane) FROM actions WHERE ${open}
     UNION ALL
     SELECT (SELECT min(a.lane) FROM actions AS a WHERE ${open} AND a.lane > lanes.lane)
     FROM lanes WHERE lanes.lane IS NOT NULL)
   SELECT id, url FROM (
     SELECT id, url FROM webhooks WHERE removed = 1
     UNION ALL
     SELECT w.id, w.url FROM lanes JOIN webhooks AS w ON w.id = ${webhookId}
     WHERE w.removed = 0 AND EXISTS (
       SELECT 1 FROM actions AS a WHERE a.lane = lanes.lane AND ${open} AND a.claimed_until <= @now
         AND a.due_at <= CASE WHEN w.enabled = 1 THEN @now ELSE ${Number.MAX_SAFE_INTEGER} END)
   ) AS due ORDER BY random()`;
const dueWebhooks = statement<{ now: number }, DueWebhook>({
  sqlite: dueText('lanes.lane'),
  postgres: dueText('CAST(lanes.lane AS uuid)'),
});
