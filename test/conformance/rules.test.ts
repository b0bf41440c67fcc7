import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { replaceRules } from '../../src/features/rules/commands.ts';
import { ruleList } from '../../src/features/rules/rule.ts';
import { apiOf } from '../support/api.ts';
import { nextMillisecond } from '../support/clock.ts';
import { faults, itRefuses, requiredString } from '../support/field-faults.ts';
import { accepted, refused } from '../support/outcome.ts';
import { succeeded } from '../support/records.ts';
import { rowsIn } from '../support/rows-in.ts';
import { startTestServer, type TestPlayer } from '../support/server.ts';

const server = await startTestServer();
afterAll(server.close);
const api = apiOf(server);
const { db: store } = server.services;

const triggered = succeeded({ triggerUuid: z.uuid(), actions: z.array(z.string()) });
const path = '/launcher/trigger-rules-engine';

/** A player in a new game with these rules. */
async function playerUnder(...rules: object[]): Promise<TestPlayer> {
  const { gameId } = await server.createGame();
  await store.write(replaceRules, gameId, ruleList.parse(rules));
  return server.openSession(gameId);
}

async function trigger({ launcherJwt }: TestPlayer, body: object) {
  return accepted(await api.post(path, { launcherJwt, trigger: 'win', ...body }), triggered);
}

function notificationsOf({ wallet }: TestPlayer): Promise<readonly unknown[]> {
  const text = 'SELECT message, type FROM notifications WHERE wallet = @wallet ORDER BY id';
  return rowsIn(server.services.db, text, { wallet });
}

const notify = { type: 'Notify', message: 'You won' };

describe('trigger-rules-engine', async () => {
  it('returns a unique id and no actions when the game has no rules', async () => {
    const player = await server.openSession((await server.createGame()).gameId);
    const first = await trigger(player, {});
    const second = await trigger(player, {});
    expect(first.actions).toEqual([]);
    expect(second.triggerUuid).not.toBe(first.triggerUuid);
  });

  it('executes the actions of every rule with that trigger, in order, and no others', async () => {
    const player = await playerUnder(
      { trigger: 'win', actions: [notify, { type: 'UpdateScore', amount: 5 }] },
      { trigger: 'lose', actions: [{ ...notify, message: 'You lost' }] },
      { trigger: 'win', actions: [{ ...notify, message: 'Again', notificationType: 'error' }] },
    );
    expect((await trigger(player, {})).actions).toEqual(['Notify', 'UpdateScore', 'Notify']);
    expect(await notificationsOf(player)).toEqual([
      { message: 'You won', type: 'success' },
      { message: 'Again', type: 'error' },
    ]);
  });

  it('behaves the same when dispatched, with the three fields that are defined there', async () => {
    const player = await playerUnder({ trigger: 'win', actions: [notify] });
    const { launcherJwt } = player;
    const answer = await api.dispatch('triggerRulesEngine', { launcherJwt, trigger: 'win', nonce: 'n1' });
    expect(accepted(answer, triggered).actions).toEqual(['Notify']);
    expect(await notificationsOf(player)).toHaveLength(1);
  });

  it('runs the rules of the player’s game only', async () => {
    await playerUnder({ trigger: 'win', actions: [notify] });
    const elsewhere = await playerUnder();
    expect((await trigger(elsewhere, {})).actions).toEqual([]);
  });

  const { launcherJwt } = await playerUnder();
  itRefuses(api, path, () => ({ launcherJwt, trigger: 'win', nonce: 'n', value: 1 }), [
    ...requiredString('trigger'),
    ...faults('trigger', ['', 't'.repeat(201)], 'input_invalid'),
    ...faults('nonce', [7, true, ['n']], 'input_invalid'),
    ...faults('value', [1.5, '7', true, [7]], 'input_invalid'),
  ]);
});

describe('the nonce of a trigger', () => {
  it('makes a repeated call return the same and do nothing more', async () => {
    const player = await playerUnder({ trigger: 'win', actions: [notify] });
    const first = await trigger(player, { nonce: 'round-1', value: 7 });
    expect(await trigger(player, { nonce: 'round-1', value: 7 })).toEqual(first);
    expect(await notificationsOf(player)).toHaveLength(1);
    expect((await trigger(player, { nonce: 'round-2', value: 7 })).triggerUuid).not.toBe(first.triggerUuid);
    expect(await notificationsOf(player)).toHaveLength(2);
  });

  it('runs the rules once for concurrent calls', async () => {
    const player = await playerUnder({ trigger: 'win', actions: [notify] });
    const answers = await Promise.all(Array.from({ length: 8 }, () => trigger(player, { nonce: 'once' })));
    expect(new Set(answers.map((answer) => answer.triggerUuid)).size).toBe(1);
    expect(await notificationsOf(player)).toHaveLength(1);
  });

  it.each([
    ['trigger', { trigger: 'lose', value: 1 }],
    ['value', { trigger: 'win', value: 2 }],
    ['missing value', { trigger: 'win' }],
  ])('is refused with another %s', async (_what, other) => {
    const player = await playerUnder({ trigger: 'win', actions: [notify] });
    await trigger(player, { nonce: 'n', value: 1 });
    const answer = await api.post(path, { launcherJwt: player.launcherJwt, nonce: 'n', ...other });
    refused(answer, 409, 'nonce_reused');
    expect(await notificationsOf(player)).toHaveLength(1);
  });

  it('is scoped to the player and the game', async () => {
    const ada = await playerUnder({ trigger: 'win', actions: [notify] });
    const grace = await server.openSession(ada.gameId);
    const first = await trigger(ada, { nonce: 'n', value: 1 });
    const second = await trigger(grace, { nonce: 'n', value: 2 });
    expect(second.triggerUuid).not.toBe(first.triggerUuid);
    expect(await notificationsOf(grace)).toHaveLength(1);
  });
});

describe('a condition', () => {
  it.each([
    ['gt', { 6: false, 7: false, 8: true }],
    ['gte', { 6: false, 7: true, 8: true }],
    ['lt', { 6: true, 7: false, 8: false }],
    ['lte', { 6: true, 7: true, 8: false }],
    ['eq', { 6: false, 7: true, 8: false }],
    ['ne', { 6: true, 7: false, 8: true }],
  ])('%s 7 on the value, the score and a state evaluates as %j says', async (operator, holds) => {
    const compared = { operator, value: 7 };
    const player = await playerUnder(
      ...[
        { type: 'payload-value-condition', ...compared },
        { type: 'score-condition', ...compared },
        { type: 'state-variable-condition', label: 'save', key: 'hero.level', ...compared },
      ].map((condition, index) => ({
        trigger: `by-${index}`,
        actions: [{ ...notify, conditions: [condition] }],
      })),
    );
    for (const [text, expected] of Object.entries(holds)) {
      const value = Number(text);
      await api.dispatch('setUserScore', { launcherJwt: player.launcherJwt, score: value, nonce: 'n' });
      const state = { hero: { level: value } };
      await api.dispatch('setState', { launcherJwt: player.launcherJwt, label: 'save', state });
      for (const name of ['by-0', 'by-1', 'by-2']) {
        const { actions } = await trigger(player, { trigger: name, value });
        expect(actions, `${name} with ${value}`).toEqual(expected ? ['Notify'] : []);
      }
    }
  });

  it('on missing data is false', async () => {
    const player = await playerUnder(
      ...[
        { type: 'payload-value-condition', operator: 'ne', value: 1 },
        { type: 'score-condition', operator: 'ne', value: 1 },
        { type: 'state-variable-condition', label: 'save', key: 'constructor', operator: 'ne', value: 1 },
      ].map((condition) => ({ trigger: 'win', actions: [{ ...notify, conditions: [condition] }] })),
    );
    expect((await trigger(player, {})).actions).toEqual([]);
  });

  it('must be true along with the others of its action; other actions are independent', async () => {
    const atLeast = (value: number) => ({ type: 'payload-value-condition', operator: 'gte', value });
    const player = await playerUnder({
      trigger: 'win',
      actions: [
        { ...notify, conditions: [atLeast(1), atLeast(10)] },
        { type: 'UpdateScore', amount: 1 },
      ],
    });
    expect((await trigger(player, { value: 5 })).actions).toEqual(['UpdateScore']);
    expect((await trigger(player, { value: 10 })).actions).toEqual(['Notify', 'UpdateScore']);
  });
});

describe('a limit', () => {
  it('stops a rule after that many executions, per player', async () => {
    const ada = await playerUnder({ trigger: 'win', limitExecutions: { amount: 2 }, actions: [notify] });
    const grace = await server.openSession(ada.gameId);
    const counts = [];
    for (const player of [ada, ada, ada, grace]) counts.push((await trigger(player, {})).actions.length);
    expect(counts).toEqual([1, 1, 0, 1]);
  });

  it('lets the rule run again after its interval', async () => {
    const limitExecutions = { amount: 1, resetInterval: 1 };
    const player = await playerUnder({ trigger: 'win', limitExecutions, actions: [notify] });
    expect((await trigger(player, {})).actions).toHaveLength(1);
    await nextMillisecond();
    await nextMillisecond();
    expect((await trigger(player, {})).actions).toHaveLength(1);
  });

  it('is not used up by a trigger whose conditions were false', async () => {
    const conditions = [{ type: 'payload-value-condition', operator: 'gt', value: 5 }];
    const player = await playerUnder({
      trigger: 'win',
      limitExecutions: { amount: 1 },
      actions: [{ ...notify, conditions }],
    });
    expect((await trigger(player, { value: 1 })).actions).toEqual([]);
    expect((await trigger(player, { value: 9 })).actions).toEqual(['Notify']);
  });
});

describe('the action', () => {
  it('SendCustomActivity adds an activity to the feed', async () => {
    const player = await playerUnder({
      trigger: 'win',
      actions: [{ type: 'SendCustomActivity', label: '{wallet} won {value}', eventId: 'win' }],
    });
    await trigger(player, { value: 7 });
    const { body } = await api.get(`/activities?gameId=${player.gameId}`);
    expect(body).toMatchObject({
      result: { data: [{ displayText: `${player.wallet} won 7`, eventId: 'win', type: 'off-chain' }] },
    });
  });

  it.each([
    ['sets the score to an amount', { amount: 5 }, [{}, {}], 5],
    ['adds an amount', { mode: 'add', amount: 5 }, [{}, {}], 10],
    ['sets the score to a multiple of the value', { ratio: 10 }, [{ value: 2 }, { value: 3 }], 30],
    ['adds a multiple of the value', { mode: 'add', ratio: 2 }, [{ value: 2 }, { value: 3 }], 10],
  ])('UpdateScore %s', async (_what, action, bodies, score) => {
    const player = await playerUnder({ trigger: 'win', actions: [{ type: 'UpdateScore', ...action }] });
    for (const body of bodies) await trigger(player, body);
    const answer = await api.dispatch('getUserScore', { launcherJwt: player.launcherJwt });
    expect(answer.body).toMatchObject({ score: { score } });
  });
});

it('a rule with an unknown action is refused, and the error lists the known ones', () => {
  const rules = [{ trigger: 'win', actions: [{ type: 'MintToken', contract: '0x0' }] }];
  const { error } = ruleList.safeParse(rules);
  expect(error?.issues.map((issue) => issue.message).join()).toMatch(/MintToken.*IssueToken/);
});
