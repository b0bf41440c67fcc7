import { describe, expect, test } from 'vitest';
import type { Database } from '../../../src/core/storage/database.ts';
import { erasePlayerData } from '../../../src/features/administration/player-eraser.ts';
import { renewClaims, requeueAction, trimActions } from '../../../src/features/queue/commands.ts';
import { findAction, readActions } from '../../../src/features/queue/queries.ts';
import { replaceRules, triggerRules } from '../../../src/features/rules/commands.ts';
import { ruleList } from '../../../src/features/rules/rule.ts';
import { setScore } from '../../../src/features/scores/commands.ts';
import { claimDue } from '../../../src/features/webhooks/claim.ts';
import {
  addWebhook,
  addWebhookSecret,
  changeWebhook,
  deleteWebhook,
  replayDelivery,
} from '../../../src/features/webhooks/commands.ts';
import type { ClaimTerms } from '../../../src/features/webhooks/delivery.ts';
import { settleDelivery } from '../../../src/features/webhooks/delivery-commands.ts';
import {
  findWebhook,
  listDueWebhooks,
  readDeliveries,
  readSealedSecrets,
  readWebhooks,
} from '../../../src/features/webhooks/queries.ts';
import type { WebhookFilter } from '../../../src/features/webhooks/webhook.ts';
import { tables } from '../../../src/server/declarations/tables.ts';
import { until } from '../../support/until.ts';
import {
  addGame,
  addPlayer,
  type DatabaseUnderTest,
  hour,
  listen,
  type OpenStore,
  summarize,
  wholePage,
} from './fixture.ts';

const terms: ClaimTerms = { room: 100, perHost: 100, busyHosts: {}, leaseMs: 1_000 };
const wait = { delivered: false as const, error: 'answered 500', gone: false };

async function webhookAt(
  db: Database,
  gameId: string,
  url = 'https://a.example/',
  filter: WebhookFilter = 'all',
) {
  return (await db.write(addWebhook, { gameId, url, filter, sealedSecret: `sealed for ${url}` })).webhookId;
}

async function anyDue(db: Database): Promise<boolean> {
  return (await db.read(listDueWebhooks)).length > 0;
}

/** A player in a game with a webhook, which has received nothing yet. */
async function scene({ db }: DatabaseUnderTest, url?: string) {
  const { id: gameId } = await addGame(db);
  const ada = await addPlayer(db, gameId);
  return { gameId, ada, webhookId: await webhookAt(db, gameId, url) };
}

export function webhooksContract(open: OpenStore): void {
  describe('webhooks', () => {
    test('a delivery is written with its event for each enabled webhook of the game, from any process', async () => {
      await using fixture = await open.empty();
      const otherProcess = await fixture.openOtherProcess();
      const { gameId, ada, webhookId } = await scene(fixture);
      const other = await scene(fixture);
      const second = await webhookAt(otherProcess, gameId, 'https://b.example/');
      const disabled = await webhookAt(otherProcess, gameId, 'https://c.example/');
      await otherProcess.write(changeWebhook, disabled, { enabled: false });
      const received = listen(fixture.db);
      const score = await fixture.db.write(setScore, ada, 7, 'n');
      // Deliveries are announced to nobody.
      expect(summarize(received)).toEqual([['scores created', expect.any(Number)]]);
      const reopened = await fixture.reopen();
      const { total, rows } = await reopened.read(readDeliveries, { gameId }, wholePage);
      expect([total, new Set(rows.map((row) => row.webhookId))]).toEqual([2, new Set([webhookId, second])]);
      expect(rows[0]).toMatchObject({
        event: 'scores.created',
        state: 'queued',
        attempts: 0,
        error: null,
        deadlineAt: (rows[0]?.createdAt ?? 0) + 24 * hour,
        payload: { type: 'scores.created', data: score },
      });
      expect((await reopened.read(readDeliveries, { webhookId: other.webhookId }, wholePage)).total).toBe(0);
      const filtered = await reopened.read(readDeliveries, { webhookId: second, state: 'queued' }, wholePage);
      expect(filtered.rows.map((row) => row.webhookId)).toEqual([second]);
    });

    test('the delivery worker is woken when something was queued for a webhook, and by nothing else', async () => {
      await using fixture = await open.empty();
      const { db } = fixture;
      const { id } = await addGame(db);
      const grace = await addPlayer(db, id);
      const woken: string[] = [];
      db.onWake((workers) => woken.push(...workers));
      await db.write(setScore, grace, 1);
      const { ada } = await scene(fixture);
      expect(woken).toEqual([]);
      await db.write(setScore, ada, 1);
      await until('it is woken', async () => woken.length > 0);
      expect(woken).toEqual(['webhook']);
    });

    test('a delivery is claimed once, also concurrently, and again when the claim expires', async () => {
      await using fixture = await open.empty();
      const otherProcess = await fixture.openOtherProcess();
      const { ada } = await scene(fixture);
      for (let score = 0; score < 20; score++) await fixture.db.write(setScore, ada, score);
      const claims = await Promise.all(
        [fixture.db, otherProcess, fixture.db, otherProcess].map((db, n) =>
          claimDue(db, `node ${n}`, { ...terms, room: 8 }),
        ),
      );
      const ids = claims.flat().map(({ deliveryId }) => deliveryId);
      expect([ids.length, new Set(ids).size]).toEqual([20, 20]);
      expect(claims.flat()[0]).toMatchObject({
        host: 'a.example',
        url: 'https://a.example/',
        attempts: 1,
        sealedSecrets: ['sealed for https://a.example/'],
        payload: { type: 'scores.created' },
      });
      expect(await anyDue(otherProcess)).toBe(false);
      fixture.clock.advance(1_000);
      expect(await anyDue(otherProcess)).toBe(true);
      const again = await claimDue(otherProcess, 'late', terms);
      expect(again.map(({ attempts }) => attempts)).toEqual(Array.from({ length: 20 }, () => 2));
    });

    test('no host gets more than it has capacity for, however much is queued for it', async () => {
      await using fixture = await open.empty();
      const { db } = fixture;
      const { gameId, ada } = await scene(fixture, 'https://a.example:8443/one');
      await webhookAt(db, gameId, 'https://a.example:8443/two');
      await webhookAt(db, gameId, 'https://b.example/');
      for (let score = 0; score < 5; score++) await db.write(setScore, ada, score);
      const hosts = async (over: Partial<ClaimTerms>) =>
        (await claimDue(db, 'a', { ...terms, ...over })).map(({ host }) => host).toSorted();
      expect(await hosts({ perHost: 3, busyHosts: { 'b.example': 1 } })).toEqual([
        ...Array.from({ length: 3 }, () => 'a.example:8443'),
        'b.example',
      ]);
      expect(await hosts({ busyHosts: { 'a.example:8443': 0, 'b.example': -1 } })).toEqual([]);
      expect(await hosts({ room: 2 })).toHaveLength(2);
    });

    test("only the claim's holder reports the result; it is retried until its deadline, and then failed", async () => {
      await using fixture = await open.empty();
      const { db, clock } = fixture;
      const { ada, webhookId } = await scene(fixture);
      await db.write(setScore, ada, 1);
      const [claimed] = await claimDue(db, 'a', terms);
      const id = claimed?.deliveryId ?? '';
      const dueAt = clock.read() + 5_000;
      expect(await db.write(settleDelivery, 'b', id, { delivered: true })).toBeNull();
      expect(await db.write(settleDelivery, 'a', id, { ...wait, dueAt })).toBe('retried');
      expect(await db.write(settleDelivery, 'a', id, { delivered: true })).toBeNull(); // released
      expect(await anyDue(db)).toBe(false);
      clock.advance(5_000);
      await claimDue(db, 'a', terms);
      await db.write(renewClaims, 'a', [id], 9_000);
      clock.advance(8_999);
      const late = clock.read() + 24 * hour;
      expect(await db.write(settleDelivery, 'a', id, { ...wait, dueAt: late })).toBe('failed');
      const dead = await db.read(readDeliveries, { webhookId, state: 'failed' }, wholePage);
      expect(dead.rows).toMatchObject([{ deliveryId: id, attempts: 2, error: 'answered 500' }]);
      expect(await anyDue(db)).toBe(false);

      const replayed = await db.write(replayDelivery, id);
      expect(replayed).toMatchObject({ state: 'queued', attempts: 0, deadlineAt: clock.read() + 24 * hour });
      await claimDue(db, 'a', terms);
      expect(await db.write(settleDelivery, 'a', id, { delivered: true })).toBe('confirmed');
      expect((await db.read(readDeliveries, { webhookId }, wholePage)).rows).toMatchObject([
        { state: 'confirmed', error: null },
      ]);
      expect(await db.read(findAction, id)).toMatchObject({ kind: 'webhook', state: 'confirmed' });
      await expect(db.write(replayDelivery, 'none')).rejects.toMatchObject({ reason: 'delivery_unknown' });
    });

    test('one in progress cannot be replayed, nor can an action that never had a webhook', async () => {
      await using fixture = await open.empty();
      const { db } = fixture;
      const { gameId, ada } = await scene(fixture);
      await db.write(setScore, ada, 1);
      const [claimed] = await claimDue(db, 'a', terms);
      const id = claimed?.deliveryId ?? '';
      expect(await db.write(replayDelivery, id)).toMatchObject({ state: 'queued', attempts: 1 });
      expect(await db.write(requeueAction, id)).toMatchObject({ state: 'queued', attempts: 1 });
      expect(await claimDue(db, 'b', terms)).toEqual([]);
      expect(await db.write(settleDelivery, 'a', id, { delivered: true })).toBe('confirmed');

      const bare = await addGame(db);
      await db.write(
        replaceRules,
        bare.id,
        ruleList.parse([{ trigger: 'win', actions: [{ type: 'Webhook' }] }]),
      );
      const grace = await addPlayer(db, bare.id);
      expect(await db.write(triggerRules, grace, { trigger: 'win' })).toMatchObject({
        actions: ['Webhook'],
      });
      const { rows } = await db.read(readActions, { gameId: bare.id }, wholePage);
      expect(rows).toMatchObject([
        { type: 'Webhook', state: 'failed', error: expect.stringMatching('no enabled') },
      ]);
      await expect(db.write(requeueAction, rows[0]?._id ?? '')).rejects.toMatchObject({
        reason: 'action_not_retryable',
      });
      await expect(db.write(replayDelivery, rows[0]?._id ?? '')).rejects.toMatchObject({
        reason: 'delivery_unknown',
      });
      expect((await db.read(readDeliveries, { gameId: bare.id }, wholePage)).total).toBe(0);
      expect((await db.read(readDeliveries, { gameId }, wholePage)).total).toBe(1);
    });

    test('a receiver that is gone disables its webhook; its queued deliveries have failed', async () => {
      await using fixture = await open.empty();
      const { db, clock } = fixture;
      const { gameId, ada, webhookId } = await scene(fixture);
      for (let score = 0; score < 3; score++) await db.write(setScore, ada, score);
      const [first] = await claimDue(db, 'a', { ...terms, room: 1 });
      const gone = { delivered: false as const, error: 'answered 410', dueAt: clock.read(), gone: true };
      expect(await db.write(settleDelivery, 'a', first?.deliveryId ?? '', gone)).toBe('failed');
      expect(await db.read(findWebhook, webhookId)).toMatchObject({
        enabled: false,
        disabledReason: 'the receiver answered 410',
      });
      await db.write(setScore, ada, 4);
      expect(await claimDue(db, 'a', terms)).toEqual([]);
      const { rows } = await db.read(readDeliveries, { gameId }, wholePage);
      expect(rows.map(({ state, error }) => [state, error]).toSorted()).toEqual([
        ['failed', 'answered 410'],
        ['failed', 'the webhook is disabled'],
        ['failed', 'the webhook is disabled'],
      ]);
      const replay = () => db.write(replayDelivery, first?.deliveryId ?? '');
      await expect(replay()).rejects.toMatchObject({ reason: 'webhook_disabled' });
      expect(await db.write(changeWebhook, webhookId, { enabled: true })).toMatchObject({
        disabledReason: null,
      });
      expect(await replay()).toMatchObject({ state: 'queued' });
    });

    test('a removed webhook is not found, and soon none of its deliveries', async () => {
      await using fixture = await open.empty();
      const { db } = fixture;
      const { gameId, ada, webhookId } = await scene(fixture);
      await db.write(setScore, ada, 1);
      const [claimed] = await claimDue(db, 'a', terms);
      await db.write(setScore, ada, 2);
      await db.write(deleteWebhook, webhookId);
      await db.write(setScore, ada, 3);
      expect([await db.read(findWebhook, webhookId), await db.read(readWebhooks, gameId)]).toEqual([
        null,
        [],
      ]);
      while (await anyDue(db)) expect(await claimDue(db, 'a', terms)).toEqual([]);
      expect((await db.read(readDeliveries, { gameId }, wholePage)).total).toBe(0);
      expect(await db.write(settleDelivery, 'a', claimed?.deliveryId ?? '', { delivered: true })).toBeNull();
      for (const refused of [
        () => db.write(deleteWebhook, webhookId),
        () => db.write(changeWebhook, webhookId, {}),
        () => db.write(addWebhookSecret, webhookId, 'sealed', 0),
      ])
        await expect(refused()).rejects.toMatchObject({ reason: 'webhook_unknown' });
    });

    test('the secrets of a rotation overlap, newest first, at most five', async () => {
      await using fixture = await open.empty();
      const { db, clock } = fixture;
      const { webhookId } = await scene(fixture);
      await db.write(addWebhookSecret, webhookId, 'two', 1_000);
      expect(await db.read(readSealedSecrets, webhookId)).toEqual(['two', 'sealed for https://a.example/']);
      clock.advance(1_000);
      expect(await db.read(readSealedSecrets, webhookId)).toEqual(['two']);
      for (let count = 3; count < 10; count++) await db.write(addWebhookSecret, webhookId, `${count}`, hour);
      expect(await db.read(readSealedSecrets, webhookId)).toEqual(['9', '8', '7', '6', '5']);
      await db.write(addWebhookSecret, webhookId, 'leaked no more', 0);
      expect(await db.read(readSealedSecrets, webhookId)).toEqual(['leaked no more']);
    });

    test('deliveries are removed with the player they are about, and completed ones after a while', async () => {
      await using fixture = await open.empty();
      const { db, clock } = fixture;
      const { gameId, ada } = await scene(fixture);
      const grace = await addPlayer(db, gameId);
      await db.write(setScore, ada, 1);
      await db.write(setScore, grace, 2);
      await erasePlayerData(db, tables, ada.wallet);
      const left = async () => (await db.read(readDeliveries, { gameId }, wholePage)).rows;
      expect((await left()).every(({ payload }) => !JSON.stringify(payload).includes(ada.wallet))).toBe(true);
      const claimed = await claimDue(db, 'a', terms);
      for (const { deliveryId } of claimed.slice(1))
        await db.write(settleDelivery, 'a', deliveryId, { delivered: true });
      clock.advance(hour);
      await db.write(trimActions, clock.read());
      expect((await left()).map(({ deliveryId }) => deliveryId)).toEqual([claimed[0]?.deliveryId]);
    });
  });
}
