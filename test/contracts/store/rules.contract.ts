import { describe, expect, test } from 'vitest';
import { type Rule, ruleList } from '../../../src/rules/rule.ts';
import type { Owner, Store } from '../../../src/store/store.ts';
import { addGame, addPlayer, inShort, listen, nowAndReopened, type OpenStore, wholePage } from './fixture.ts';

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
    test('a game has none at version 0; each change is one version more, also after a reopen', async () => {
      await using fixture = await open();
      const { store } = fixture;
      const { id } = await addGame(store);
      expect(await store.rules.get(id)).toEqual({ version: 0, rules: [] });
      expect(await store.rules.get('none')).toEqual({ version: 0, rules: [] });
      expect(await store.rules.set(id, everything)).toEqual({ version: 1, rules: everything });
      expect(await store.rules.set(id, [])).toEqual({ version: 2, rules: [] });
      const set = await store.rules.set(id, everything);
      expect(await (await fixture.openBeside()).rules.get(id)).toEqual(set);
      for await (const one of nowAndReopened(fixture)) expect(await one.rules.get(id)).toEqual(set);
    });

    test('a trigger carries out every action and tells of each, as one change', async () => {
      await using fixture = await open();
      const { store } = fixture;
      const ada = await playerUnder(store, everything);
      const batches: number[] = [];
      store.onCommit((events) => batches.push(events.length));
      const heard = listen(store);
      const answer = await store.rules.trigger(ada, { trigger: 'win', value: 21, nonce: 'n' });
      expect(answer.actions).toEqual(['Notify', 'SendCustomActivity', 'UpdateScore']);
      expect(batches).toEqual([3]);
      expect(heard).toMatchObject([
        {
          name: 'notifications created',
          seq: 1,
          record: { message: `Ada ${ada.wallet} 21 n`, type: 'error' },
        },
        { name: 'activities created', seq: 1, record: { label: '{username} won 21', eventId: 'win' } },
        { name: 'scores created', seq: 2, record: { score: 42, nonce: 'wins' } },
      ]);
      expect(await store.scores.find(ada, 'wins')).toMatchObject({ score: 42 });
      expect(await store.activities.list({}, wholePage)).toMatchObject([{ label: '{username} won 21' }]);
    });

    test('a trigger no rule names does nothing and is answered all the same', async () => {
      await using fixture = await open();
      const ada = await playerUnder(fixture.store, everything);
      const heard = listen(fixture.store);
      for (const trigger of ['lose', 'WIN', 'constructor', '__proto__']) {
        expect((await fixture.store.rules.trigger(ada, { trigger })).actions).toEqual([]);
      }
      expect(inShort(heard)).toEqual([]);
    });

    test('the same nonce gives the first answer again and does nothing more, 50 times at once and after a reopen', async () => {
      await using fixture = await open();
      const { store } = fixture;
      const ada = await playerUnder(store, everything);
      const heard = listen(store);
      const input = { trigger: 'win', value: 1, nonce: 'once' };
      const answers = await Promise.all(Array.from({ length: 50 }, () => store.rules.trigger(ada, input)));
      expect(new Set(answers.map(({ triggerUuid }) => triggerUuid))).toHaveLength(1);
      expect(heard).toHaveLength(3);
      const reopened = await fixture.reopen();
      const heardAfter = listen(reopened);
      expect(await reopened.rules.trigger(ada, input)).toEqual(answers[0]);
      expect(heardAfter).toEqual([]);
    });

    test('a nonce used before with another trigger or value is refused and does nothing', async () => {
      await using fixture = await open();
      const { store } = fixture;
      const ada = await playerUnder(store, everything);
      await store.rules.trigger(ada, { trigger: 'win', value: 1, nonce: 'n' });
      const heard = listen(store);
      for (const other of [
        { trigger: 'win', value: 2, nonce: 'n' },
        { trigger: 'win', nonce: 'n' },
        { trigger: 'lose', value: 1, nonce: 'n' },
      ]) {
        await expect(store.rules.trigger(ada, other)).rejects.toMatchObject({ reason: 'nonce_reused' });
      }
      expect(inShort(heard)).toEqual([]);
    });

    test('a nonce belongs to one player of one game', async () => {
      await using fixture = await open();
      const { store } = fixture;
      const ada = await playerUnder(store, everything);
      const grace = await addPlayer(store, ada.gameId);
      const elsewhere = await playerUnder(store, everything, ada.wallet);
      const input = { trigger: 'win', value: 1, nonce: 'n' };
      const answers = [];
      for (const owner of [ada, grace, elsewhere]) answers.push(await store.rules.trigger(owner, input));
      expect(new Set(answers.map(({ triggerUuid }) => triggerUuid))).toHaveLength(3);
      expect(answers.every(({ actions }) => actions.length === 3)).toBe(true);
    });

    test('a limit holds for each player, also under 50 triggers at once and after a reopen', async () => {
      await using fixture = await open();
      const { store } = fixture;
      const ada = await playerUnder(store, counting({ amount: 7 }));
      const grace = await addPlayer(store, ada.gameId);
      await Promise.all(
        Array.from({ length: 50 }, (_, n) => store.rules.trigger(ada, { trigger: 'tap', nonce: `${n}` })),
      );
      expect(await store.scores.find(ada, 'taps')).toMatchObject({ score: 7 });
      const reopened = await fixture.reopen();
      expect((await reopened.rules.trigger(ada, { trigger: 'tap' })).actions).toEqual([]);
      expect((await reopened.rules.trigger(grace, { trigger: 'tap' })).actions).toEqual(['UpdateScore']);
    });

    test('with a reset interval, the amount holds in any stretch of time that long', async () => {
      await using fixture = await open();
      const { store, clock } = fixture;
      const ada = await playerUnder(store, counting({ amount: 2, resetInterval: 1_000 }));
      const ran = async () => (await store.rules.trigger(ada, { trigger: 'tap' })).actions.length === 1;
      expect([await ran(), await ran(), await ran()]).toEqual([true, true, false]);
      clock.advance(600);
      expect(await ran()).toBe(false);
      clock.advance(399);
      expect(await ran()).toBe(false);
      clock.advance(1);
      expect(await ran()).toBe(true); // one of the window that slid
      clock.advance(500);
      expect([await ran(), await ran()]).toEqual([true, false]);
      clock.advance(500);
      expect([await ran(), await ran()]).toEqual([true, false]);
    });

    test('a rule whose conditions fail is not counted against its limit', async () => {
      await using fixture = await open();
      const { store } = fixture;
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
      const ada = await playerUnder(store, strict);
      expect((await store.rules.trigger(ada, { trigger: 'tap', value: 9 })).actions).toEqual([]);
      expect((await store.rules.trigger(ada, { trigger: 'tap', value: 10 })).actions).toEqual([
        'UpdateScore',
      ]);
      expect((await store.rules.trigger(ada, { trigger: 'tap', value: 11 })).actions).toEqual([]);
    });
  });
}

/** A rule that adds 1 to the score `taps`, so often. */
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
async function playerUnder(store: Store, rules: Rule[], wallet?: string): Promise<Owner> {
  const { id } = await addGame(store);
  await store.rules.set(id, rules);
  const owner = await addPlayer(store, id, wallet);
  await store.players.setProfile(owner.wallet, { username: 'Ada' });
  return owner;
}
