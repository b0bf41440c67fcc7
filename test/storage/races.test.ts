import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ban, changeGame } from '../../src/features/administration/commands.ts';
import { leaseLane } from '../../src/features/chains/commands.ts';
import { consumeNonce, registerGame } from '../../src/features/games/commands.ts';
import { createChannel } from '../../src/features/messages/channel-commands.ts';
import { trackPlaySession } from '../../src/features/play-sessions/commands.ts';
import { enqueueActions, renewClaims } from '../../src/features/queue/commands.ts';
import { replaceRules, triggerRules } from '../../src/features/rules/commands.ts';
import { ruleList } from '../../src/features/rules/rule.ts';
import { setScore } from '../../src/features/scores/commands.ts';
import { listScores } from '../../src/features/scores/queries.ts';
import { endSession, renewSession, startSession } from '../../src/features/sessions/commands.ts';
import { findSession } from '../../src/features/sessions/queries.ts';
import { beginAttempt, completeSignIn, requestSignIn } from '../../src/features/sessions/sign-in-commands.ts';
import { saveState } from '../../src/features/states/commands.ts';
import { addWebhook } from '../../src/features/webhooks/commands.ts';
import { claimDeliveries } from '../../src/features/webhooks/delivery-commands.ts';
import { maxWebhooks } from '../../src/features/webhooks/webhook.ts';
import { noPostgres } from '../support/postgres.ts';
import { rowsIn } from '../support/rows-in.ts';
import { randomWallet } from '../support/server.ts';
import { racingNodes } from './racing-nodes.ts';

/** What is correct on SQLite because one process writes at a time must be correct with many nodes too. */
describe.skipIf(noPostgres !== null)('two nodes, 50 concurrent calls each', () => {
  const { first, addGame, addPlayer, race } = racingNodes();

  test('a sign-in can be attempted five times', async () => {
    const { gameId, wallet } = await addPlayer();
    const id = randomUUID();
    await first().write(requestSignIn, { id, gameId, wallet, signRequest: '', expiresAt: Date.now() + 1e6 });
    const { results, refused } = await race((db) => db.write(beginAttempt, id));
    expect([results.length, refused]).toEqual([5, { sign_in_attempts_exhausted: 95 }]);
  });

  test('a sign-in opens one session', async () => {
    const { gameId, wallet } = await addPlayer();
    const id = randomUUID();
    await first().write(requestSignIn, { id, gameId, wallet, signRequest: '', expiresAt: Date.now() + 1e6 });
    const { results, refused } = await race((db) => db.write(completeSignIn, id, 1e6));
    expect([results.length, refused]).toEqual([1, { sign_in_used: 99 }]);
  });

  test('nobody who was banned meanwhile has a session', async () => {
    const owner = await addPlayer();
    await race<unknown>((db, n) =>
      n === 40 ? db.write(ban, owner.wallet, owner.gameId, 'why') : db.write(startSession, owner, 1e8),
    );
    expect(await rowsIn(first(), liveSessions, { ...owner })).toEqual([]);
  });

  test('a session that is ended while it is renewed has ended', async () => {
    const { gameId, wallet } = await addPlayer();
    const { id } = (await first().write(startSession, { gameId, wallet }, 1e8, 'wallet')).session;
    const lifetime = { lifetimeMs: 1e8, renewalMs: 1e9 };
    const { refused } = await race<unknown>((db, n) =>
      n === 40 ? db.write(endSession, wallet, id) : db.write(renewSession, id, lifetime),
    );
    expect(Object.keys(refused)).toEqual(['session_ended']);
    expect((await first().read(findSession, id))?.session.endReason).toBe('ended');
  });

  test('one session per player, where the game requires that', async () => {
    const owner = await addPlayer();
    await first().write(changeGame, owner.gameId, { policies: { oneSessionPerPlayer: true } });
    const { results } = await race((db) => db.write(startSession, owner, 1e8));
    expect(results).toHaveLength(100);
    expect(await rowsIn(first(), liveSessions, { ...owner })).toHaveLength(1);
  });

  test('a slug belongs to one game', async () => {
    const slug = randomUUID();
    const { results, refused } = await race((db) =>
      db.write(registerGame, { name: 'One', slug }, { hash: randomUUID(), sealedMd5: '', sealedSecret: '' }),
    );
    expect([results.length, refused]).toEqual([1, { slug_taken: 99 }]);
  });

  test('a game has a limited number of webhooks', async () => {
    const gameId = await addGame();
    const { results, refused } = await race((db, n) =>
      db.write(addWebhook, { gameId, url: `https://${n}.example`, filter: 'all', sealedSecret: 's' }),
    );
    expect([results.length, refused]).toEqual([maxWebhooks, { webhook_limit_reached: 100 - maxWebhooks }]);
  });

  test('the same participants have one channel', async () => {
    const ada = await addPlayer();
    const grace = { gameId: ada.gameId, wallet: randomWallet() };
    await first().write(startSession, grace, 1e8);
    const { results } = await race((db, n) => {
      const [by, other] = n % 4 < 2 ? [ada, grace] : [grace, ada];
      return db.write(createChannel, by, [other.wallet]);
    });
    expect(new Set(results.map(({ _id }) => _id)).size).toBe(1);
  });

  test('a nonce of a trigger is executed once, and an execution limit holds', async () => {
    const owner = await addPlayer();
    const rules = ruleList.parse([
      { trigger: 'win', limitExecutions: { amount: 7 }, actions: [notify] },
      { trigger: 'once', actions: [notify] },
    ]);
    await first().write(replaceRules, owner.gameId, rules);
    await race((db) => db.write(triggerRules, owner, { trigger: 'once', value: 1, nonce: 'n' }));
    expect(await rowsIn(first(), notificationsOf, { ...owner })).toHaveLength(1);
    await race((db) => db.write(triggerRules, owner, { trigger: 'win', value: 1 }));
    expect(await rowsIn(first(), notificationsOf, { ...owner })).toHaveLength(8);
  });

  test('a nonce of a request is accepted once', async () => {
    const gameId = await addGame();
    const { results, refused } = await race((db) => db.write(consumeNonce, gameId, 'n'));
    expect([results.length, refused]).toEqual([1, { nonce_replayed: 99 }]);
  });

  test('each update of a state has a unique revision', async () => {
    const owner = await addPlayer();
    await race((db, n) => db.write(saveState, owner, `label ${n % 3}`, `{"n":${n}}`, `${n}`));
    const rows = await rowsIn(
      first(),
      'SELECT revision FROM states WHERE game_id = CAST(@gameId AS uuid) AND wallet = @wallet',
      { ...owner },
    );
    expect(rows).toHaveLength(3);
    expect(rows).toContainEqual({ revision: 100 });
  });

  test('a lane is leased to one node', async () => {
    const lane = `1:${randomWallet()}`;
    const { results } = await race((db, n) => db.write(leaseLane, lane, `node ${n}`, 1e6));
    expect(results.filter((leased) => leased)).toHaveLength(1);
  });

  test('a delivery is claimed once', async () => {
    const gameId = await addGame();
    const { webhookId: id } = await first().write(addWebhook, {
      gameId,
      url: 'https://hooks.example',
      filter: 'all',
      sealedSecret: 's',
    });
    const payload = { type: 'all', timestamp: '2026-01-01T00:00:00Z', data: {} };
    const delivery = { kind: 'webhook', lane: id, type: 'all', gameId, payload, dueAt: 1 };
    await first().write(
      enqueueActions,
      Array.from({ length: 120 }, () => delivery),
    );
    const terms = { room: 2, perHost: 2, busyHosts: {}, leaseMs: 1e6 };
    const { results } = await race((db, n) => db.write(claimDeliveries, `node ${n}`, [id], terms));
    const claimed = results.flat().map(({ deliveryId }) => deliveryId);
    expect(new Set(claimed).size).toBe(claimed.length);
    expect(claimed.length).toBe(120);
    await first().write(renewClaims, 'nobody', claimed, 1);
  });

  test('a play session starts once, and belongs to one player', async () => {
    const [ada, grace] = [await addPlayer(), await addPlayer()];
    const sessionId = randomUUID();
    const { results, refused } = await race((db, n) =>
      db.write(trackPlaySession, n % 4 < 2 ? ada : grace, { sessionId, state: '{}' }),
    );
    expect([results.length, refused]).toEqual([50, { play_session_not_yours: 50 }]);
  });

  test('concurrent scores under one nonce are stored as one', async () => {
    const owner = await addPlayer();
    await race((db, n) => db.write(setScore, owner, n, 'n'));
    expect(await first().read(listScores, owner, { limit: 10, skip: 0 })).toHaveLength(1);
  });
});

const notify = { type: 'Notify', message: 'Won', notificationType: 'success', conditions: [] };
const liveSessions = `SELECT id FROM channel_sessions WHERE game_id = CAST(@gameId AS uuid) AND wallet = @wallet AND ended_at IS NULL`;
const notificationsOf = `SELECT id FROM notifications WHERE game_id = CAST(@gameId AS uuid) AND wallet = @wallet`;
