import type { Database, Statement } from 'better-sqlite3';
import { actionState } from '../../domain/action.ts';
import { newId } from '../../domain/ids.ts';
import type { Page, Paged } from '../../domain/paging.ts';
import {
  maximumWebhooks,
  type WebhookDelivery,
  type WebhookPayload,
  type WebhookRecord,
  webhookFilter,
  webhookPayload,
} from '../../domain/webhook.ts';
import { GantryError } from '../../errors.ts';
import type { NewEvent } from '../../events/stream.ts';
import { type WebhookEvent, webhookEventOf } from '../../events/webhook-events.ts';
import type {
  ClaimedDelivery,
  ClaimTerms,
  DeliveryEnd,
  DeliveryFilter,
  DeliveryOutcome,
  NewWebhook,
  WebhookChanges,
  WebhookStore,
} from '../store.ts';
import type { ActionRow, SqliteActions } from './actions.ts';
import type { SqliteGames } from './games.ts';
import type { GroupCommit, Transaction } from './group-commit.ts';
import { type DataVersion, VersionCache } from './version-cache.ts';

interface WebhookRow {
  id: string;
  game_id: string;
  url: string;
  filter: string;
  enabled: number;
  disabled_reason: string | null;
  removed: number;
  created_at: number;
  updated_at: number;
}

interface ListStatements {
  count: Statement<[DeliveryFilter], number>;
  list: Statement<[DeliveryFilter & Page], ActionRow>;
}

/** The most secrets of one webhook that work at a time; a rotation ends the oldest beyond. */
const maximumSecrets = 5;

/** So many deliveries at a time are deleted with their webhook, or given up because it is disabled. */
const sweptAtOnce = 500;

const open = `kind = 'webhook' AND state IN ('queued', 'submitted')`;
const due = `${open} AND due_at <= @now AND claimed_until <= @now`;
// From each webhook with open deliveries straight to the next one: many webhooks have none, and some have many.
const busy = `
  WITH RECURSIVE lanes (lane) AS (
    SELECT min(lane) FROM actions WHERE ${open}
    UNION ALL
    SELECT (SELECT min(a.lane) FROM actions AS a WHERE ${open} AND a.lane > lanes.lane)
    FROM lanes WHERE lanes.lane IS NOT NULL)
  SELECT * FROM webhooks WHERE removed = 1
  UNION ALL
  SELECT webhooks.* FROM lanes JOIN webhooks ON webhooks.id = lanes.lane
  WHERE removed = 0 AND EXISTS (SELECT 1 FROM actions AS a WHERE a.lane = lanes.lane AND ${due})`;

/** Webhooks on SQLite; what they are to be sent lies in the queue of `SqliteActions`. */
export class SqliteWebhooks implements WebhookStore {
  readonly #group: GroupCommit;
  readonly #version: DataVersion;
  readonly #actions: SqliteActions;
  readonly #games: SqliteGames;
  readonly #clock: () => number;
  readonly #byGame: VersionCache<WebhookRecord[]>;
  readonly #statements;
  readonly #db: Database;
  /** Two statements for each set of filters, so that each gets the index that serves it. */
  readonly #lists = new Map<string, ListStatements>();

  constructor(
    db: Database,
    version: DataVersion,
    group: GroupCommit,
    { actions, games }: { actions: SqliteActions; games: SqliteGames },
    clock: () => number,
  ) {
    this.#db = db;
    this.#group = group;
    this.#version = version;
    this.#actions = actions;
    this.#games = games;
    this.#clock = clock;
    this.#byGame = new VersionCache(version, 10_000);
    this.#statements = {
      insert: db.prepare(
        `INSERT INTO webhooks (id, game_id, url, filter, enabled, created_at, updated_at)
         VALUES (@id, @gameId, @url, @filter, 1, @now, @now)`,
      ),
      insertSecret: db.prepare(
        'INSERT INTO webhook_secrets (webhook_id, sealed, created_at) VALUES (?, ?, ?)',
      ),
      expireSecrets: db.prepare(
        `UPDATE webhook_secrets SET expires_at = min(coalesce(expires_at, @at), @at) WHERE webhook_id = @id`,
      ),
      forgetSecrets: db.prepare(
        `DELETE FROM webhook_secrets WHERE webhook_id = @id AND (expires_at <= @now OR rowid NOT IN (
           SELECT rowid FROM webhook_secrets WHERE webhook_id = @id ORDER BY rowid DESC LIMIT ${maximumSecrets}))`,
      ),
      secrets: db
        .prepare<[string, number], string>(
          `SELECT sealed FROM webhook_secrets WHERE webhook_id = ? AND (expires_at IS NULL OR expires_at > ?)
           ORDER BY rowid DESC`,
        )
        .pluck(),
      find: db.prepare<[string], WebhookRow>('SELECT * FROM webhooks WHERE id = ? AND removed = 0'),
      ofGame: db.prepare<[string], WebhookRow>(
        'SELECT * FROM webhooks WHERE game_id = ? AND removed = 0 ORDER BY created_at, id',
      ),
      all: db.prepare<[], WebhookRow>('SELECT * FROM webhooks WHERE removed = 0 ORDER BY created_at, id'),
      update: db.prepare(
        `UPDATE webhooks SET url = @url, filter = @filter, enabled = @enabled, disabled_reason = @disabledReason,
           updated_at = @now WHERE id = @id`,
      ),
      remove: db.prepare('UPDATE webhooks SET removed = 1, enabled = 0, updated_at = ? WHERE id = ?'),
      removeSecrets: db.prepare('DELETE FROM webhook_secrets WHERE webhook_id = ?'),
      sweep: db.prepare(
        `DELETE FROM actions WHERE id IN (
           SELECT id FROM actions WHERE kind = 'webhook' AND lane = ? LIMIT ${sweptAtOnce})`,
      ),
      forget: db.prepare('DELETE FROM webhooks WHERE id = ?'),
      anyBusy: db.prepare<[{ now: number }], string>(`${busy} LIMIT 1`).pluck(),
      // In another order each time, so that where there is no room for all, none is always the last.
      busy: db.prepare<[{ now: number }], WebhookRow>(`SELECT * FROM (${busy}) ORDER BY random()`),
      due: db.prepare<[{ now: number; lane: string; limit: number }], ActionRow>(
        `SELECT * FROM actions WHERE lane = @lane AND ${due} ORDER BY due_at LIMIT @limit`,
      ),
    };
    group.onEmit((tx, event) => this.#report(tx, event));
  }

  create({ gameId, url, filter, sealedSecret }: NewWebhook): Promise<WebhookRecord> {
    return this.#group.write((tx) => {
      if (!this.#games.findNow(gameId)) {
        throw new GantryError('game_unknown', 'There is no game with this id');
      }
      if (this.#statements.ofGame.all(gameId).length >= maximumWebhooks) {
        throw new GantryError(
          'webhook_limit_reached',
          `A game has at most ${maximumWebhooks} webhooks; remove one first`,
        );
      }
      const id = newId();
      this.#statements.insert.run({ id, gameId, url, filter, now: tx.now });
      this.#statements.insertSecret.run(id, sealedSecret, tx.now);
      this.#version.changed();
      return this.#require(id);
    });
  }

  async find(webhookId: string): Promise<WebhookRecord | null> {
    const row = this.#statements.find.get(webhookId);
    return row ? toRecord(row) : null;
  }

  async list(gameId?: string): Promise<WebhookRecord[]> {
    const { ofGame, all } = this.#statements;
    return (gameId === undefined ? all.all() : ofGame.all(gameId)).map(toRecord);
  }

  update(webhookId: string, changes: WebhookChanges): Promise<WebhookRecord> {
    return this.#group.write((tx) => this.#change(tx, this.#require(webhookId), changes));
  }

  remove(webhookId: string): Promise<void> {
    return this.#group.write((tx) => {
      this.#require(webhookId);
      this.#statements.remove.run(tx.now, webhookId);
      this.#statements.removeSecrets.run(webhookId);
      this.#version.changed();
    });
  }

  rotateSecret(webhookId: string, sealedSecret: string, overlapMs: number): Promise<void> {
    return this.#group.write((tx) => {
      this.#require(webhookId);
      this.#statements.expireSecrets.run({ id: webhookId, at: tx.now + overlapMs });
      this.#statements.insertSecret.run(webhookId, sealedSecret, tx.now);
      this.#statements.forgetSecrets.run({ id: webhookId, now: tx.now });
    });
  }

  async sealedSecrets(webhookId: string): Promise<string[]> {
    return this.#statements.secrets.all(webhookId, this.#clock());
  }

  async deliveries(filter: DeliveryFilter, page: Page): Promise<Paged<WebhookDelivery>> {
    const { count, list } = this.#listBy(filter);
    return { total: count.get(filter) ?? 0, rows: list.all({ ...filter, ...page }).map(toDelivery) };
  }

  replay(deliveryId: string): Promise<WebhookDelivery> {
    return this.#group.write((tx) => {
      const row = this.#actions.rowOf(deliveryId);
      if (row?.kind !== 'webhook' || !this.#statements.find.get(row.lane)) {
        throw new GantryError('delivery_unknown', 'There is no delivery with this id');
      }
      if (!this.#require(row.lane).enabled) {
        throw new GantryError('webhook_disabled', 'The webhook is disabled: enable it, then replay');
      }
      return toDelivery(this.#actions.requeueWithin(tx, row));
    });
  }

  async anyDue(): Promise<boolean> {
    return this.#statements.anyBusy.get({ now: this.#clock() }) !== undefined;
  }

  claim(node: string, { room, perHost, busyHosts, leaseMs }: ClaimTerms): Promise<ClaimedDelivery[]> {
    return this.#group.write((tx) => {
      const claimed: ClaimedDelivery[] = [];
      const left = new Map(Object.entries(busyHosts));
      for (const row of this.#statements.busy.all({ now: tx.now })) {
        if (row.removed === 1) this.#sweep(row);
        else if (row.enabled === 0) this.#giveUp(tx, row);
        else {
          const { host } = new URL(row.url);
          const limit = Math.min(room - claimed.length, left.get(host) ?? perHost);
          const deliveries = this.#claimOf(tx, node, row, { host, limit, leaseMs });
          left.set(host, (left.get(host) ?? perHost) - deliveries.length);
          claimed.push(...deliveries);
        }
      }
      return claimed;
    });
  }

  settle(node: string, deliveryId: string, outcome: DeliveryOutcome): Promise<DeliveryEnd | null> {
    return this.#group.write((tx) => {
      const row = this.#actions.heldRow(tx, node, deliveryId);
      if (!row) return null;
      if (outcome.delivered) {
        this.#actions.changeWithin(tx, row, { state: 'confirmed', error: null });
        return 'confirmed';
      }
      const { error, dueAt, gone } = outcome;
      const webhook = this.#statements.find.get(row.lane);
      if (gone && webhook) {
        this.#change(tx, toRecord(webhook), { enabled: false }, `the receiver ${error}`);
      }
      const isOver = gone || dueAt > row.give_up_at;
      this.#actions.changeWithin(tx, row, isOver ? { state: 'failed', error } : { error, dueAt });
      return isOver ? 'failed' : 'retried';
    });
  }

  /** Inside a transaction: queues what the game's webhooks are told; how many there are that take it. */
  tellWithin(tx: Transaction, event: WebhookEvent, asAction?: { type: string; triggerUuid: string }): number {
    const takers = this.#ofGame(event.gameId).filter(
      ({ enabled, filter }) => enabled && event.filters.includes(filter),
    );
    for (const { webhookId } of takers) {
      const payload = { type: event.type, timestamp: new Date(tx.now).toISOString(), data: event.data };
      this.#actions.enqueueWithin(tx, {
        kind: 'webhook',
        lane: webhookId,
        type: asAction?.type ?? event.type,
        gameId: event.gameId,
        wallet: event.wallet,
        triggerUuid: asAction?.triggerUuid,
        payload,
      });
    }
    return takers.length;
  }

  #report(tx: Transaction, event: NewEvent): void {
    if (this.#ofGame(event.audience.gameId).length === 0) return; // most games have none
    const told = webhookEventOf(event);
    if (told) this.tellWithin(tx, told);
  }

  #listBy({ webhookId, gameId, state }: DeliveryFilter): ListStatements {
    const where = [
      `kind = 'webhook' AND lane <> ''`,
      webhookId !== undefined && 'lane = @webhookId',
      gameId !== undefined && 'game_id = @gameId',
      state !== undefined && 'state = @state',
    ]
      .filter((condition) => condition !== false)
      .join(' AND ');
    let statements = this.#lists.get(where);
    if (!statements) {
      statements = {
        count: this.#db
          .prepare<[DeliveryFilter], number>(`SELECT count(*) FROM actions WHERE ${where}`)
          .pluck(),
        list: this.#db.prepare<[DeliveryFilter & Page], ActionRow>(
          `SELECT * FROM actions WHERE ${where} ORDER BY created_at DESC, id DESC LIMIT @limit OFFSET @skip`,
        ),
      };
      this.#lists.set(where, statements);
    }
    return statements;
  }

  #ofGame(gameId: string): WebhookRecord[] {
    return this.#byGame.get(gameId, () => this.#statements.ofGame.all(gameId).map(toRecord)) ?? [];
  }

  #claimOf(
    tx: Transaction,
    node: string,
    webhook: WebhookRow,
    { host, limit, leaseMs }: { host: string; limit: number; leaseMs: number },
  ): ClaimedDelivery[] {
    if (limit <= 0) return [];
    const sealedSecrets = this.#statements.secrets.all(webhook.id, tx.now);
    return this.#statements.due.all({ now: tx.now, lane: webhook.id, limit }).map((row) => {
      const { _id, attempts } = this.#actions.claimWithin(tx, node, row, leaseMs);
      return {
        deliveryId: _id,
        webhookId: webhook.id,
        url: webhook.url,
        host,
        sealedSecrets,
        attempts,
        payload: payloadOf(row),
      };
    });
  }

  #change(
    tx: Transaction,
    before: WebhookRecord,
    { url = before.url, filter = before.filter, enabled = before.enabled }: WebhookChanges,
    why: string | null = null,
  ): WebhookRecord {
    const disabledReason = enabled ? null : (why ?? before.disabledReason);
    const id = before.webhookId;
    this.#statements.update.run({ id, url, filter, enabled: enabled ? 1 : 0, disabledReason, now: tx.now });
    this.#version.changed();
    return { ...before, url, filter, enabled, disabledReason, updatedAt: tx.now };
  }

  /** What waits for a webhook that was disabled is a dead letter, to be replayed when it is enabled again. */
  #giveUp(tx: Transaction, { id }: WebhookRow): void {
    for (const row of this.#statements.due.all({ now: tx.now, lane: id, limit: sweptAtOnce })) {
      this.#actions.changeWithin(tx, row, { state: 'failed', error: 'the webhook is disabled' });
    }
  }

  #sweep({ id }: WebhookRow): void {
    if (this.#statements.sweep.run(id).changes === 0) this.#statements.forget.run(id);
  }

  /** @throws GantryError `webhook_unknown` */
  #require(webhookId: string): WebhookRecord {
    const row = this.#statements.find.get(webhookId);
    if (!row) throw new GantryError('webhook_unknown', 'There is no webhook with this id');
    return toRecord(row);
  }
}

function toRecord(row: WebhookRow): WebhookRecord {
  return {
    webhookId: row.id,
    gameId: row.game_id,
    url: row.url,
    filter: webhookFilter.parse(row.filter),
    enabled: row.enabled === 1,
    disabledReason: row.disabled_reason,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function payloadOf(row: ActionRow): WebhookPayload {
  return webhookPayload.parse(JSON.parse(row.payload));
}

function toDelivery(row: ActionRow): WebhookDelivery {
  const payload = payloadOf(row);
  return {
    deliveryId: row.id,
    webhookId: row.lane,
    gameId: row.game_id,
    event: payload.type,
    state: actionState.parse(row.state),
    attempts: row.attempts,
    error: row.error,
    dueAt: row.due_at,
    giveUpAt: row.give_up_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    payload,
  };
}
