import { describe, expect, test } from 'vitest';
import type { WebhookFilter } from '../../../src/domain/webhook.ts';
import { ruleList } from '../../../src/rules/rule.ts';
import type { ClaimTerms, Store } from '../../../src/store/store.ts';
import {
  addGame,
  addPlayer,
  hour,
  inShort,
  listen,
  type OpenStore,
  type StoreUnderTest,
  wholePage,
} from './fixture.ts';

const terms: ClaimTerms = { room: 100, perHost: 100, busyHosts: {}, leaseMs: 1_000 };
const wait = { delivered: false as const, error: 'answered 500', gone: false };

async function addWebhook(
  store: Store,
  gameId: string,
  url = 'https://a.example/',
  filter: WebhookFilter = 'all',
) {
  return (await store.webhooks.create({ gameId, url, filter, sealedSecret: `sealed for ${url}` })).webhookId;
}

/** A player in a game with a webhook, which is told of nothing yet. */
async function scene({ store }: StoreUnderTest, url?: string) {
  const { id: gameId } = await addGame(store);
  const ada = await addPlayer(store, gameId);
  return { gameId, ada, webhookId: await addWebhook(store, gameId, url) };
}

export function webhooksContract(open: OpenStore): void {
  describe('webhooks', () => {
    test('a delivery is written with its event for each enabled webhook of the game, from whichever process it was made', async () => {
      await using fixture = await open();
      const beside = await fixture.openBeside();
      const { gameId, ada, webhookId } = await scene(fixture);
      const other = await scene(fixture);
      const second = await addWebhook(beside, gameId, 'https://b.example/');
      const disabled = await addWebhook(beside, gameId, 'https://c.example/');
      await beside.webhooks.update(disabled, { enabled: false });
      const heard = listen(fixture.store);
      const score = await fixture.store.scores.set(ada, 7, 'n');
      expect(inShort(heard)).toEqual([['scores created', expect.any(Number)]]); // deliveries are told to nobody
      const reopened = await fixture.reopen();
      const { total, rows } = await reopened.webhooks.deliveries({ gameId }, wholePage);
      expect([total, new Set(rows.map((row) => row.webhookId))]).toEqual([2, new Set([webhookId, second])]);
      expect(rows[0]).toMatchObject({
        event: 'scores.created',
        state: 'queued',
        attempts: 0,
        error: null,
        giveUpAt: (rows[0]?.createdAt ?? 0) + 24 * hour,
        payload: { type: 'scores.created', data: score },
      });
      expect((await reopened.webhooks.deliveries({ webhookId: other.webhookId }, wholePage)).total).toBe(0);
      const filtered = await reopened.webhooks.deliveries({ webhookId: second, state: 'queued' }, wholePage);
      expect(filtered.rows.map((row) => row.webhookId)).toEqual([second]);
    });

    test('a delivery is claimed once, wherever and however often it is asked for, and again when the claim ends', async () => {
      await using fixture = await open();
      const beside = await fixture.openBeside();
      const { ada } = await scene(fixture);
      for (let score = 0; score < 20; score++) await fixture.store.scores.set(ada, score);
      const claims = await Promise.all(
        [fixture.store, beside, fixture.store, beside].map((store, n) =>
          store.webhooks.claim(`node ${n}`, { ...terms, room: 8 }),
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
      expect(await beside.webhooks.anyDue()).toBe(false);
      fixture.clock.advance(1_000);
      expect(await beside.webhooks.anyDue()).toBe(true);
      const again = await beside.webhooks.claim('late', terms);
      expect(again.map(({ attempts }) => attempts)).toEqual(Array.from({ length: 20 }, () => 2));
    });

    test('no host gets more than it has room for, whatever waits for it', async () => {
      await using fixture = await open();
      const { store } = fixture;
      const { gameId, ada } = await scene(fixture, 'https://a.example:8443/one');
      await addWebhook(store, gameId, 'https://a.example:8443/two');
      await addWebhook(store, gameId, 'https://b.example/');
      for (let score = 0; score < 5; score++) await store.scores.set(ada, score);
      const hosts = async (over: Partial<ClaimTerms>) =>
        (await store.webhooks.claim('a', { ...terms, ...over })).map(({ host }) => host).toSorted();
      expect(await hosts({ perHost: 3, busyHosts: { 'b.example': 1 } })).toEqual([
        ...Array.from({ length: 3 }, () => 'a.example:8443'),
        'b.example',
      ]);
      expect(await hosts({ busyHosts: { 'a.example:8443': 0, 'b.example': -1 } })).toEqual([]);
      expect(await hosts({ room: 2 })).toHaveLength(2);
    });

    test('only who has the claim says how it ended; it is put off until its time is over, and then failed', async () => {
      await using fixture = await open();
      const { store, clock } = fixture;
      const { ada, webhookId } = await scene(fixture);
      await store.scores.set(ada, 1);
      const [claimed] = await store.webhooks.claim('a', terms);
      const id = claimed?.deliveryId ?? '';
      const dueAt = clock.read() + 5_000;
      expect(await store.webhooks.settle('b', id, { delivered: true })).toBeNull();
      expect(await store.webhooks.settle('a', id, { ...wait, dueAt })).toBe('retried');
      expect(await store.webhooks.settle('a', id, { delivered: true })).toBeNull(); // let go of
      expect(await store.webhooks.anyDue()).toBe(false);
      clock.advance(5_000);
      await store.webhooks.claim('a', terms);
      await store.actions.renew('a', [id], 9_000);
      clock.advance(8_999);
      const late = clock.read() + 24 * hour;
      expect(await store.webhooks.settle('a', id, { ...wait, dueAt: late })).toBe('failed');
      const dead = await store.webhooks.deliveries({ webhookId, state: 'failed' }, wholePage);
      expect(dead.rows).toMatchObject([{ deliveryId: id, attempts: 2, error: 'answered 500' }]);
      expect(await store.webhooks.anyDue()).toBe(false);

      const replayed = await store.webhooks.replay(id);
      expect(replayed).toMatchObject({ state: 'queued', attempts: 0, giveUpAt: clock.read() + 24 * hour });
      await store.webhooks.claim('a', terms);
      expect(await store.webhooks.settle('a', id, { delivered: true })).toBe('confirmed');
      expect((await store.webhooks.deliveries({ webhookId }, wholePage)).rows).toMatchObject([
        { state: 'confirmed', error: null },
      ]);
      expect(await store.actions.find(id)).toMatchObject({ kind: 'webhook', state: 'confirmed' });
      await expect(store.webhooks.replay('none')).rejects.toMatchObject({ reason: 'delivery_unknown' });
    });

    test('one that is under way is replayed by nobody else, and what never had a webhook by nobody', async () => {
      await using fixture = await open();
      const { store } = fixture;
      const { gameId, ada } = await scene(fixture);
      await store.scores.set(ada, 1);
      const [claimed] = await store.webhooks.claim('a', terms);
      const id = claimed?.deliveryId ?? '';
      expect(await store.webhooks.replay(id)).toMatchObject({ state: 'queued', attempts: 1 });
      expect(await store.actions.requeue(id)).toMatchObject({ state: 'queued', attempts: 1 });
      expect(await store.webhooks.claim('b', terms)).toEqual([]);
      expect(await store.webhooks.settle('a', id, { delivered: true })).toBe('confirmed');

      const bare = await addGame(store);
      await store.rules.set(bare.id, ruleList.parse([{ trigger: 'win', actions: [{ type: 'Webhook' }] }]));
      const grace = await addPlayer(store, bare.id);
      expect(await store.rules.trigger(grace, { trigger: 'win' })).toMatchObject({ actions: ['Webhook'] });
      const { rows } = await store.actions.list({ gameId: bare.id }, wholePage);
      expect(rows).toMatchObject([
        { type: 'Webhook', state: 'failed', error: expect.stringMatching('no enabled') },
      ]);
      await expect(store.actions.requeue(rows[0]?._id ?? '')).rejects.toMatchObject({
        reason: 'action_not_retryable',
      });
      await expect(store.webhooks.replay(rows[0]?._id ?? '')).rejects.toMatchObject({
        reason: 'delivery_unknown',
      });
      expect((await store.webhooks.deliveries({ gameId: bare.id }, wholePage)).total).toBe(0);
      expect((await store.webhooks.deliveries({ gameId }, wholePage)).total).toBe(1);
    });

    test('a receiver that is gone disables its webhook; what waits for it has failed', async () => {
      await using fixture = await open();
      const { store, clock } = fixture;
      const { gameId, ada, webhookId } = await scene(fixture);
      for (let score = 0; score < 3; score++) await store.scores.set(ada, score);
      const [first] = await store.webhooks.claim('a', { ...terms, room: 1 });
      const gone = { delivered: false as const, error: 'answered 410', dueAt: clock.read(), gone: true };
      expect(await store.webhooks.settle('a', first?.deliveryId ?? '', gone)).toBe('failed');
      expect(await store.webhooks.find(webhookId)).toMatchObject({
        enabled: false,
        disabledReason: 'the receiver answered 410',
      });
      await store.scores.set(ada, 4);
      expect(await store.webhooks.claim('a', terms)).toEqual([]);
      const { rows } = await store.webhooks.deliveries({ gameId }, wholePage);
      expect(rows.map(({ state, error }) => [state, error]).toSorted()).toEqual([
        ['failed', 'answered 410'],
        ['failed', 'the webhook is disabled'],
        ['failed', 'the webhook is disabled'],
      ]);
      const replay = () => store.webhooks.replay(first?.deliveryId ?? '');
      await expect(replay()).rejects.toMatchObject({ reason: 'webhook_disabled' });
      expect(await store.webhooks.update(webhookId, { enabled: true })).toMatchObject({
        disabledReason: null,
      });
      expect(await replay()).toMatchObject({ state: 'queued' });
    });

    test('one that is removed is not there, and soon none of its deliveries', async () => {
      await using fixture = await open();
      const { store } = fixture;
      const { gameId, ada, webhookId } = await scene(fixture);
      await store.scores.set(ada, 1);
      const [claimed] = await store.webhooks.claim('a', terms);
      await store.scores.set(ada, 2);
      await store.webhooks.remove(webhookId);
      await store.scores.set(ada, 3);
      expect([await store.webhooks.find(webhookId), await store.webhooks.list(gameId)]).toEqual([null, []]);
      while (await store.webhooks.anyDue()) expect(await store.webhooks.claim('a', terms)).toEqual([]);
      expect((await store.webhooks.deliveries({ gameId }, wholePage)).total).toBe(0);
      expect(await store.webhooks.settle('a', claimed?.deliveryId ?? '', { delivered: true })).toBeNull();
      for (const refused of [
        () => store.webhooks.remove(webhookId),
        () => store.webhooks.update(webhookId, {}),
        () => store.webhooks.rotateSecret(webhookId, 'sealed', 0),
      ])
        await expect(refused()).rejects.toMatchObject({ reason: 'webhook_unknown' });
    });

    test('the secrets of a rotation overlap, newest first, five at most', async () => {
      await using fixture = await open();
      const { store, clock } = fixture;
      const { webhookId } = await scene(fixture);
      await store.webhooks.rotateSecret(webhookId, 'two', 1_000);
      expect(await store.webhooks.sealedSecrets(webhookId)).toEqual(['two', 'sealed for https://a.example/']);
      clock.advance(1_000);
      expect(await store.webhooks.sealedSecrets(webhookId)).toEqual(['two']);
      for (let count = 3; count < 10; count++) await store.webhooks.rotateSecret(webhookId, `${count}`, hour);
      expect(await store.webhooks.sealedSecrets(webhookId)).toEqual(['9', '8', '7', '6', '5']);
      await store.webhooks.rotateSecret(webhookId, 'leaked no more', 0);
      expect(await store.webhooks.sealedSecrets(webhookId)).toEqual(['leaked no more']);
    });

    test('deliveries go with the player they are about, and those that are over after a while', async () => {
      await using fixture = await open();
      const { store, clock } = fixture;
      const { gameId, ada } = await scene(fixture);
      const grace = await addPlayer(store, gameId);
      await store.scores.set(ada, 1);
      await store.scores.set(grace, 2);
      await store.players.erase(ada.wallet);
      const left = async () => (await store.webhooks.deliveries({ gameId }, wholePage)).rows;
      expect((await left()).every(({ payload }) => !JSON.stringify(payload).includes(ada.wallet))).toBe(true);
      const claimed = await store.webhooks.claim('a', terms);
      for (const { deliveryId } of claimed.slice(1))
        await store.webhooks.settle('a', deliveryId, { delivered: true });
      clock.advance(hour);
      await store.actions.trim(clock.read());
      expect((await left()).map(({ deliveryId }) => deliveryId)).toEqual([claimed[0]?.deliveryId]);
    });
  });
}
