import { describe, expect, test } from 'vitest';
import type { Owner } from '../../src/core/schemas/owner.ts';
import { changeGame } from '../../src/features/administration/commands.ts';
import { leaseLane, raiseNonce, settleNonce, storeSigned } from '../../src/features/chains/commands.ts';
import { listOpenTransactions, readLane } from '../../src/features/chains/queries.ts';
import { cancelQueued, enqueueActions, requeueAction } from '../../src/features/queue/commands.ts';
import { findAction, readActions } from '../../src/features/queue/queries.ts';
import { replaceRules, triggerRules } from '../../src/features/rules/commands.ts';
import { ruleList } from '../../src/features/rules/rule.ts';
import { addWebhook, addWebhookSecret, maxSecrets } from '../../src/features/webhooks/commands.ts';
import { claimDeliveries, settleDelivery } from '../../src/features/webhooks/delivery-commands.ts';
import { noPostgres } from '../support/postgres.ts';
import { rowsIn } from '../support/rows-in.ts';
import { randomWallet } from '../support/server.ts';
import { racingNodes } from './racing-nodes.ts';

const contract = `0x${'c0'.repeat(20)}`;
const signer = `0x${'51'.repeat(20)}`;
const chain = { signers: { default: signer }, balances: {} };
const wholePage = { limit: 250, skip: 0 };
const issue = { type: 'IssueToken', chainId: 1, contract, amount: '1', decimals: 0 };

/** Spending limits, payouts and senders are as correct with many nodes as with one. */
describe.skipIf(noPostgres !== null)('two nodes, 50 concurrent calls each', () => {
  const { first, addGame, addPlayer, race } = racingNodes();

  /** A game that pays out `perDay` tokens, `perPlayer` of them to one player, by as many transactions. */
  async function addSpender(
    limits: { transactions: number; perPlayer: number; tokens: number; tokensPerPlayer: number },
    action: object = issue,
  ): Promise<string> {
    const gameId = await addGame();
    const tokens = [
      {
        chainId: 1,
        contract,
        perDay: String(limits.tokens),
        perPlayerPerDay: String(limits.tokensPerPlayer),
      },
    ];
    await first().write(changeGame, gameId, {
      policies: {
        spending: {
          transactionsPerDay: limits.transactions,
          transactionsPerPlayerPerDay: limits.perPlayer,
          tokens,
        },
      },
    });
    await first().write(replaceRules, gameId, ruleList.parse([{ trigger: 'win', actions: [action] }]));
    return gameId;
  }
  const triggered = (owners: readonly Owner[]) =>
    race((db, n) => {
      const owner = owners[n % owners.length];
      if (!owner) throw new Error('there is no player');
      return db.write(triggerRules, owner, { trigger: 'win', value: 1 }, chain);
    });
  async function queuedOf(gameId: string): Promise<Map<string, number>> {
    const { rows } = await first().read(readActions, { gameId, state: 'queued' }, wholePage);
    const counts = new Map<string, number>();
    for (const { normalizedAddress } of rows) {
      counts.set(normalizedAddress, (counts.get(normalizedAddress) ?? 0) + 1);
    }
    return counts;
  }
  const total = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((a, b) => a + b, 0);

  test.each([
    ['transactions a day', { transactions: 7, perPlayer: 100, tokens: 100, tokensPerPlayer: 100 }, 7],
    [
      'transactions a day for one player',
      { transactions: 100, perPlayer: 3, tokens: 100, tokensPerPlayer: 100 },
      15,
    ],
    ['tokens a day', { transactions: 100, perPlayer: 100, tokens: 11, tokensPerPlayer: 100 }, 11],
    [
      'tokens a day to one player',
      { transactions: 100, perPlayer: 100, tokens: 100, tokensPerPlayer: 2 },
      10,
    ],
  ])('a game does not exceed its limit of %s', async (_what, limits, allowed) => {
    const gameId = await addSpender(limits);
    const owners = await Promise.all(Array.from({ length: 5 }, () => addPlayer(gameId)));
    expect((await triggered(owners)).results).toHaveLength(100);
    const queued = await queuedOf(gameId);
    expect(total(queued)).toBe(allowed);
    const most = Math.max(...queued.values());
    expect(most).toBeLessThanOrEqual(Math.min(limits.perPlayer, limits.tokensPerPlayer));
    const { total: all } = await first().read(readActions, { gameId }, wholePage);
    expect(all).toBe(100); // the others have failed, and say why
    const sums = await rowsIn(
      first(),
      `SELECT token, amount FROM spent WHERE game_id = CAST(@gameId AS uuid) AND wallet = '' ORDER BY token`,
      { gameId },
    );
    expect(sums).toEqual(['', `1:${contract}`].map((token) => ({ token, amount: String(allowed) })));
  });

  test('an achievement is granted once, recorded off-chain or paid out on a chain', async () => {
    const grant = { type: 'GrantAchievementToken', achievement: '7' };
    for (const action of [grant, { ...grant, chainId: 1, contract }]) {
      const gameId = await addSpender(
        { transactions: 100, perPlayer: 100, tokens: 100, tokensPerPlayer: 100 },
        action,
      );
      const { results } = await triggered([await addPlayer(gameId)]);
      const granting = results.filter(({ actions }) => actions.length > 0);
      expect([results.length, granting.length]).toEqual([100, 1]);
      expect(total(await queuedOf(gameId))).toBe('chainId' in action ? 1 : 0);
    }
  });

  test('rules replace the version they were derived from', async () => {
    const gameId = await addGame();
    const { results, refused } = await race((db, n) => {
      const rules = ruleList.parse([{ trigger: `t${n}`, actions: [{ type: 'Webhook', name: 'won' }] }]);
      return db.write(replaceRules, gameId, rules, 0);
    });
    expect([results.map(({ version }) => version), refused]).toEqual([[1], { rules_changed: 99 }]);
  });

  test('an action is cancelled once and refunds its amount once; a retry charges it once', async () => {
    const gameId = await addSpender({ transactions: 3, perPlayer: 3, tokens: 3, tokensPerPlayer: 3 });
    const owner = await addPlayer(gameId);
    for (let n = 0; n < 3; n++) {
      await first().write(triggerRules, owner, { trigger: 'win', value: 1 }, chain);
    }
    const spent = async () =>
      rowsIn(
        first(),
        `SELECT amount FROM spent WHERE game_id = CAST(@gameId AS uuid) AND wallet = '' AND token <> ''`,
        { gameId },
      );
    const { rows } = await first().read(readActions, { gameId }, wholePage);
    const [one, other] = rows.map(({ _id }) => _id);
    if (one === undefined || other === undefined) throw new Error('there are no actions');
    const cancelled = await race((db) => db.write(cancelQueued, one));
    expect([cancelled.results.length, cancelled.refused]).toEqual([1, { action_not_cancellable: 99 }]);
    expect(await spent()).toEqual([{ amount: '2' }]);
    // One of them gets the refunded amount; the others find it queued.
    expect((await race((db) => db.write(requeueAction, one))).results).toHaveLength(100);
    expect(await spent()).toEqual([{ amount: '3' }]);
    // Two were cancelled, and one fits.
    for (const id of [one, other]) await first().write(cancelQueued, id);
    await first().write(triggerRules, owner, { trigger: 'win', value: 1 }, chain);
    const { results, refused } = await race((db, n) => db.write(requeueAction, n % 4 < 2 ? one : other));
    expect([results.length, refused]).toEqual([50, { spending_limit_reached: 50 }]);
    expect(await spent()).toEqual([{ amount: '3' }]);
  });

  test('a nonce of a lane goes to one transaction, an action is sent by one, and the day’s budget holds', async () => {
    const lane = `1:${randomWallet()}`;
    const owner = await addPlayer();
    const work = { kind: 'chain', lane, type: 'Work', ...owner, payload: {} };
    const actions = await first().write(
      enqueueActions,
      Array.from({ length: 100 }, () => work),
    );
    await first().write(leaseLane, lane, 'a', 1e6);
    await race((db, n) => db.write(raiseNonce, lane, 'a', n));
    expect(await first().read(readLane, lane)).toMatchObject({ nextNonce: 99 });
    const signed = (n: number, nonce: number, actionId: string) => ({
      ...{
        hash: `0x${nonce}-${n}`,
        nonce,
        actionId,
        raw: '0xfe',
        maxFee: '1',
        priorityFee: '1',
        signedAt: 1,
      },
    });
    const cost = { wei: '1', dailyWei: '3' };
    const ofOneNonce = await race((db, n) =>
      db.write(storeSigned, lane, 'a', signed(n, 99, actions[n]?._id ?? ''), cost),
    );
    expect(ofOneNonce.results.filter((stored) => stored)).toHaveLength(1);
    const sent = (await first().read(listOpenTransactions, lane)).map(({ actionId }) => actionId);
    const waiting = actions.map(({ _id }) => _id).filter((id) => !sent.includes(id));
    // Whichever nonce is next, one action is sent once.
    const ofOneAction = await race((db, n) =>
      db.write(storeSigned, lane, 'a', signed(n, 100 + (n % 5), waiting[0] ?? ''), cost),
    );
    expect(ofOneAction.results.filter((stored) => stored)).toHaveLength(1);
    const beyond = await race(async (db, n) => {
      const { nextNonce } = (await db.read(readLane, lane)) ?? {};
      return db.write(storeSigned, lane, 'a', signed(n, nextNonce ?? 0, waiting[n % 90] ?? ''), cost);
    });
    expect(beyond.results.filter((stored) => stored).length).toBeLessThanOrEqual(1);
    expect(await first().read(readLane, lane)).toMatchObject({ spentWei: expect.stringMatching(/^[23]$/) });
    const stranger = await race((db, n) =>
      db.write(storeSigned, lane, 'b', signed(n, 101, waiting[n % 90] ?? ''), cost),
    );
    expect(stranger.results.filter((stored) => stored)).toEqual([]);
  });

  test('a nonce is settled once, and its action ends once', async () => {
    const lane = `1:${randomWallet()}`;
    const owner = await addPlayer();
    const [action] = await first().write(enqueueActions, [
      { kind: 'chain', lane, type: 'Work', ...owner, payload: {} },
    ]);
    const actionId = action?._id ?? '';
    await first().write(leaseLane, lane, 'a', 1e6);
    await first().write(raiseNonce, lane, 'a', 0);
    const signed = { hash: '0x1', nonce: 0, actionId, raw: '', maxFee: '1', priorityFee: '1', signedAt: 1 };
    await first().write(storeSigned, lane, 'a', signed, { wei: '1', dailyWei: '9' });
    const { results } = await race((db, n) =>
      db.write(settleNonce, lane, 'a', 0, '0x1', n % 2 === 0 ? null : 'reverted'),
    );
    expect(results).toHaveLength(100);
    const ended = await rowsIn(
      first(),
      `SELECT record FROM events WHERE name = 'rule-actions patched' AND record LIKE '%' || @id || '%'
        AND (record LIKE '%"state":"confirmed"%' OR record LIKE '%"state":"failed"%')`,
      { id: actionId },
    );
    expect(ended).toHaveLength(1);
    expect(await first().read(findAction, actionId)).toMatchObject({
      state: expect.stringMatching(/^(confirmed|failed)$/),
    });
  });

  test("a delivery's result is written once, by the holder of its claim", async () => {
    const gameId = await addGame();
    const webhook = { gameId, url: 'https://hooks.example', filter: 'all' as const, sealedSecret: 's' };
    const { webhookId } = await first().write(addWebhook, webhook);
    const payload = { type: 'all', timestamp: '2026-01-01T00:00:00Z', data: {} };
    const waiting = { kind: 'webhook', lane: webhookId, type: 'all', gameId, payload, dueAt: 1 };
    await first().write(enqueueActions, [waiting]);
    const terms = { room: 9, perHost: 9, busyHosts: {}, leaseMs: 1e6 };
    const [claimed] = await first().write(claimDeliveries, 'a', [webhookId], terms);
    const id = claimed?.deliveryId ?? '';
    const { results } = await race((db, n) =>
      db.write(settleDelivery, n % 4 < 2 ? 'a' : 'b', id, { delivered: true }),
    );
    expect(results.filter((end) => end !== null)).toEqual(['confirmed']);
  });

  test('a webhook has a limited number of secrets, one of which does not expire', async () => {
    const gameId = await addGame();
    const webhook = { gameId, url: 'https://hooks.example', filter: 'all' as const, sealedSecret: 's' };
    const { webhookId } = await first().write(addWebhook, webhook);
    const { results } = await race((db, n) => db.write(addWebhookSecret, webhookId, `sealed ${n}`, 1e6));
    expect(results).toHaveLength(100);
    const rows = await rowsIn(
      first(),
      `SELECT position, CASE WHEN expires_at IS NULL THEN 1 ELSE 0 END AS lasts FROM webhook_secrets
        WHERE webhook_id = CAST(@webhookId AS uuid) ORDER BY position`,
      { webhookId },
    );
    expect(rows).toEqual(
      Array.from({ length: maxSecrets }, (_, at) => ({
        position: 101 - maxSecrets + 1 + at,
        lasts: at === maxSecrets - 1 ? 1 : 0,
      })),
    );
  });
});
