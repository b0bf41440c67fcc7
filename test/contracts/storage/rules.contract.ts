import { describe, expect, test } from 'vitest';
import type { Owner } from '../../../src/core/schemas/owner.ts';
import type { Database } from '../../../src/core/storage/database.ts';
import { listActivities } from '../../../src/features/activities/queries.ts';
import { setProfile } from '../../../src/features/players/commands.ts';
import { replaceRules, triggerRules } from '../../../src/features/rules/commands.ts';
import { readRules } from '../../../src/features/rules/queries.ts';
import { type Rule, ruleList } from '../../../src/features/rules/rule.ts';
import type { StateFacts } from '../../../src/features/rules/trigger.ts';
import { findScore } from '../../../src/features/scores/queries.ts';
import { saveState } from '../../../src/features/states/commands.ts';
import {
  addGame,
  addPlayer,
  listen,
  nowAndReopened,
  type OpenStore,
  summarize,
  wholePage,
} from './fixture.ts';

const everything = ruleList.parse([
  {
    trigger: 'win',
    actions: [
      { type: 'Notify', message: '{username} {wallet} {value} {nonce}', notificationType: 'error' },
      { type: 'SendCustomActivity', label: '{username} won {value}', eventId: 'win' },
      { type: 'UpdateScore', ratio: 2, nonce: 'wins' },
    ],
  },
]);

export function rulesContract(open: OpenStore): void {
  describe('rules', () => {
    test('a game has none at version 0; each change increments the version, also after a reopen', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const { id } = await addGame(db);
      expect(await db.read(readRules, id)).toEqual({ version: 0, rules: [] });
      expect(await db.read(readRules, 'none')).toEqual({ version: 0, rules: [] });
      expect(await db.write(replaceRules, id, everything)).toEqual({ version: 1, rules: everything });
      expect(await db.write(replaceRules, id, [])).toEqual({ version: 2, rules: [] });
      await expect(db.write(replaceRules, id, everything, 1)).rejects.toMatchObject({
        reason: 'rules_changed',
      });
      const set = await db.write(replaceRules, id, everything, 2);
      expect(await (await fixture.openOtherProcess()).read(readRules, id)).toEqual(set);
      for await (const one of nowAndReopened(fixture)) expect(await one.read(readRules, id)).toEqual(set);
    });

    test('a trigger executes every action and announces each, atomically', async () => {
      await using fixture = await open.empty();
      const { db } = fixture;
      const ada = await playerUnder(db, everything);
      const batches: number[] = [];
      db.onCommit((events) => batches.push(events.length));
      const received = listen(db);
      const answer = await db.write(triggerRules, ada, { trigger: 'win', value: 21, nonce: 'n' });
      expect(answer.actions).toEqual(['Notify', 'SendCustomActivity', 'UpdateScore']);
      expect(batches).toEqual([3]);
      expect(received).toMatchObject([
        {
          name: 'notifications created',
          seq: 1,
          record: { message: `Ada ${ada.wallet} 21 n`, type: 'error' },
        },
        { name: 'activities created', seq: 1, record: { label: '{username} won 21', eventId: 'win' } },
        { name: 'scores created', seq: 2, record: { score: 42, nonce: 'wins' } },
      ]);
      expect(await db.read(findScore, ada, 'wins')).toMatchObject({ score: 42 });
      expect(await db.read(listActivities, {}, wholePage)).toMatchObject([{ label: '{username} won 21' }]);
    });

    test('a trigger that matches no rule does nothing and still returns a result', async () => {
      await using fixture = await open();
      const ada = await playerUnder(fixture.db, everything);
      const received = listen(fixture.db);
      for (const trigger of ['lose', 'WIN', 'constructor', '__proto__']) {
        expect((await fixture.db.write(triggerRules, ada, { trigger })).actions).toEqual([]);
      }
      expect(summarize(received)).toEqual([]);
    });

    test('the same nonce returns the first result again and does nothing more, 50 times concurrently and after a reopen', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const ada = await playerUnder(db, everything);
      const received = listen(db);
      const input = { trigger: 'win', value: 1, nonce: 'once' };
      const answers = await Promise.all(Array.from({ length: 50 }, () => db.write(triggerRules, ada, input)));
      expect(new Set(answers.map(({ triggerUuid }) => triggerUuid))).toHaveLength(1);
      expect(received).toHaveLength(3);
      const reopened = await fixture.reopen();
      const receivedAfter = listen(reopened);
      expect(await reopened.write(triggerRules, ada, input)).toEqual(answers[0]);
      expect(receivedAfter).toEqual([]);
    });

    test('a nonce used before with another trigger or value is refused and does nothing', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const ada = await playerUnder(db, everything);
      await db.write(triggerRules, ada, { trigger: 'win', value: 1, nonce: 'n' });
      const received = listen(db);
      for (const other of [
        { trigger: 'win', value: 2, nonce: 'n' },
        { trigger: 'win', nonce: 'n' },
        { trigger: 'lose', value: 1, nonce: 'n' },
      ]) {
        await expect(db.write(triggerRules, ada, other)).rejects.toMatchObject({ reason: 'nonce_reused' });
      }
      expect(summarize(received)).toEqual([]);
    });

    test('a nonce is scoped to one player of one game', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const ada = await playerUnder(db, everything);
      const grace = await addPlayer(db, ada.gameId);
      const elsewhere = await playerUnder(db, everything, ada.wallet);
      const input = { trigger: 'win', value: 1, nonce: 'n' };
      const answers = [];
      for (const owner of [ada, grace, elsewhere]) answers.push(await db.write(triggerRules, owner, input));
      expect(new Set(answers.map(({ triggerUuid }) => triggerUuid))).toHaveLength(3);
      expect(answers.every(({ actions }) => actions.length === 3)).toBe(true);
    });

    test('a limit applies per player, also under 50 concurrent triggers and after a reopen', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const ada = await playerUnder(db, counting({ amount: 7 }));
      const grace = await addPlayer(db, ada.gameId);
      await Promise.all(
        Array.from({ length: 50 }, (_, n) => db.write(triggerRules, ada, { trigger: 'tap', nonce: `${n}` })),
      );
      expect(await db.read(findScore, ada, 'taps')).toMatchObject({ score: 7 });
      const reopened = await fixture.reopen();
      expect((await reopened.write(triggerRules, ada, { trigger: 'tap' })).actions).toEqual([]);
      expect((await reopened.write(triggerRules, grace, { trigger: 'tap' })).actions).toEqual([
        'UpdateScore',
      ]);
    });

    test('with a reset interval, the limit applies to any period of that length', async () => {
      await using fixture = await open();
      const { db, clock } = fixture;
      const ada = await playerUnder(db, counting({ amount: 2, resetInterval: 1_000 }));
      const ran = async () => (await db.write(triggerRules, ada, { trigger: 'tap' })).actions.length === 1;
      expect([await ran(), await ran(), await ran()]).toEqual([true, true, false]);
      clock.advance(600);
      expect(await ran()).toBe(false);
      clock.advance(399);
      expect(await ran()).toBe(false);
      clock.advance(1);
      expect(await ran()).toBe(true); // counts in the windows that follow
      clock.advance(500);
      expect([await ran(), await ran()]).toEqual([true, false]);
      clock.advance(500);
      expect([await ran(), await ran()]).toEqual([true, false]);
    });

    test('a condition on a state uses an evaluation made before, and only while the state is still the evaluated one', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const condition = {
        type: 'state-variable-condition',
        label: 'hero',
        key: 'level',
        operator: 'gte',
        value: 3,
      };
      const strict = ruleList.parse([
        {
          trigger: 'tap',
          actions: [{ type: 'UpdateScore', mode: 'add', amount: 1, nonce: 'taps', conditions: [condition] }],
        },
      ]);
      const ada = await playerUnder(db, strict);
      const tap = async (ipfsHash: string | null, level?: number, nonce?: string) => {
        const states: StateFacts = [{ label: 'hero', ipfsHash, values: [['level', level]] }];
        return (await db.write(triggerRules, ada, { trigger: 'tap', nonce }, undefined, states)).actions;
      };
      const changed = { reason: 'states_changed', code: 409 };
      expect(await tap(null)).toEqual([]);
      await expect(tap('first', 3)).rejects.toMatchObject(changed);
      // Unparsable: the command never reads it.
      await db.write(saveState, ada, 'hero', '{"level":', 'first');
      await expect(tap(null)).rejects.toMatchObject(changed);
      expect(await tap('first', 2)).toEqual([]);
      expect(await tap('first', 3, 'n')).toEqual(['UpdateScore']);
      const writes = [db.write(saveState, ada, 'hero', '{', 'second'), tap('first', 3)];
      const [, late] = await Promise.allSettled(writes);
      expect(late).toMatchObject({ status: 'rejected', reason: changed });
      expect(await tap('first', 3, 'n')).toEqual(['UpdateScore']); // the first result again
      // Rules that need more than was evaluated were stored in between.
      await expect(db.write(triggerRules, ada, { trigger: 'tap' })).rejects.toMatchObject(changed);
      expect(await db.read(findScore, ada, 'taps')).toMatchObject({ score: 1 });
    });

    test('a rule whose conditions are false does not count against its limit', async () => {
      await using fixture = await open();
      const { db } = fixture;
      const [rule] = counting({ amount: 1 });
      if (!rule) throw new Error('no rule');
      const strict = ruleList.parse([
        {
          ...rule,
          actions: rule.actions.map((action) => ({
            ...action,
            conditions: [{ type: 'payload-value-condition', operator: 'gte', value: 10 }],
          })),
        },
      ]);
      const ada = await playerUnder(db, strict);
      expect((await db.write(triggerRules, ada, { trigger: 'tap', value: 9 })).actions).toEqual([]);
      expect((await db.write(triggerRules, ada, { trigger: 'tap', value: 10 })).actions).toEqual([
        'UpdateScore',
      ]);
      expect((await db.write(triggerRules, ada, { trigger: 'tap', value: 11 })).actions).toEqual([]);
    });
  });
}

/** A rule that adds 1 to the score `taps`, with a limit. */
function counting(limitExecutions: { amount: number; resetInterval?: number }): Rule[] {
  return ruleList.parse([
    {
      trigger: 'tap',
      limitExecutions,
      actions: [{ type: 'UpdateScore', mode: 'add', amount: 1, nonce: 'taps' }],
    },
  ]);
}

/** A player called Ada of a new game with these rules. */
async function playerUnder(db: Database, rules: Rule[], wallet?: string): Promise<Owner> {
  const { id } = await addGame(db);
  await db.write(replaceRules, id, rules);
  const owner = await addPlayer(db, id, wallet);
  await db.write(setProfile, owner.wallet, { username: 'Ada' });
  return owner;
}
