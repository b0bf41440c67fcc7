import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { GantryClient } from '../../src/sdk/client/client.ts';
import { GantryError } from '../../src/sdk/client/client-error.ts';
import { apiOf } from '../support/api.ts';
import {
  faults,
  itRefuses,
  missing,
  notStrings,
  pagingFaults,
  requiredString,
} from '../support/field-faults.ts';
import { accepted, refused } from '../support/outcome.ts';
import { stateHead, stateRecord, succeeded } from '../support/records.ts';
import { randomWallet, startTestServer, type TestPlayer } from '../support/server.ts';

const server = await startTestServer({ RATE_LIMIT_FACTOR: '100' });
afterAll(server.close);
const api = apiOf(server);
const { gameId } = await server.createGame();
const { launcherJwt } = await server.openSession(gameId);

const newState = succeeded({ newState: stateRecord });
const newStates = succeeded({ newStates: z.array(stateRecord) });
const states = succeeded({ states: z.array(stateRecord) });
const removed = succeeded({ removedState: stateHead.nullable() });

/** More than is merged within the write, and read without a thread. */
const large = 'x'.repeat(100_000);
const megabyte = 1_048_576;

const call = (player: TestPlayer, path: string, body: object) =>
  api.post(`/launcher/${path}`, { launcherJwt: player.launcherJwt, ...body });
const dispatch = (player: TestPlayer, method: string, body: object) =>
  api.dispatch(method, { launcherJwt: player.launcherJwt, ...body });

async function set(player: TestPlayer, label: string, state: unknown, options: object = {}) {
  const body = { label, state: JSON.stringify(state), ...options };
  return accepted(await call(player, 'set-state', body), newState).newState;
}

async function list(player: TestPlayer, body: object = {}) {
  return accepted(await call(player, 'get-states', body), states).states;
}

/** Refused with the current version. */
function conflicts(answer: Awaited<ReturnType<typeof call>>, label: string, version: number) {
  expect(refused(answer, 409, 'version_conflict').data).toMatchObject({ label, version });
}

const notVersions: readonly unknown[] = [-1, 1.5, '1', true, [1], { $gt: 0 }, 2 ** 53];
const notBooleans: readonly unknown[] = [0, 1, 'true', [true], {}];
const options = [
  ...faults('ifVersion', notVersions, 'input_invalid'),
  ...faults('public', notBooleans, 'input_invalid'),
];

describe('the version of a state', () => {
  it('starts at 1 and increases by one with each write', async () => {
    const player = await server.openSession(gameId);
    expect((await set(player, 'a', 1)).version).toBe(1);
    expect((await set(player, 'a', 1)).version).toBe(2);
    expect((await set(player, 'b', 1)).version).toBe(1);
    expect((await list(player, { label: 'a' })).map(({ version }) => version)).toEqual([2]);
  });

  it('can be required by setState: any other is refused with the current version, and nothing is written', async () => {
    const player = await server.openSession(gameId);
    const ask = (ifVersion: number) => call(player, 'set-state', { label: 'a', state: '9', ifVersion });
    conflicts(await ask(1), 'a', 0);
    const { newState: first } = accepted(await ask(0), newState);
    conflicts(await ask(0), 'a', 1);
    conflicts(await ask(2), 'a', 1);
    expect(await list(player)).toEqual([first]);
    expect(accepted(await ask(1), newState).newState).toMatchObject({ _id: first._id, version: 2 });
    conflicts(await dispatch(player, 'setState', { label: 'a', state: [1], ifVersion: 1 }), 'a', 2);
  });

  it('works for large states too, which are written separately', async () => {
    const player = await server.openSession(gameId);
    const ask = (n: number, ifVersion: number) =>
      call(player, 'set-state', { label: 'a', state: JSON.stringify(`${n} ${large}${large}`), ifVersion });
    for (let version = 0; version < 2; version++) {
      const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => ask(n, version)));
      const written = answers.filter(({ status }) => status === 200);
      expect(written).toHaveLength(1);
      for (const answer of answers) {
        if (answer.status !== 200) conflicts(answer, 'a', version + 1);
      }
      expect(await list(player)).toEqual(written.map((answer) => accepted(answer, newState).newState));
    }
  });

  itRefuses(api, '/launcher/set-state', () => ({ launcherJwt, label: 'a', state: '{}' }), options);
});

describe('patch-state', () => {
  it('merges an object given as text into the state, and returns the result', async () => {
    const player = await server.openSession(gameId);
    const before = await set(player, 'hero', { name: 'Ada', at: { x: 1, y: 2 }, bag: ['key', 'map'] });
    const body = { label: 'hero', patch: '{"at":{"y":3},"bag":["key"],"name":null,"level":2}' };
    const { newState: record } = accepted(await call(player, 'patch-state', body), newState);
    expect(record).toMatchObject({
      _id: before._id,
      version: 2,
      state: { at: { x: 1, y: 3 }, bag: ['key'], level: 2 },
    });
    const asSet = await set(player, 'same', { at: { x: 1, y: 3 }, bag: ['key'], level: 2 });
    expect(record.ipfsHash).toBe(asSet.ipfsHash);
    expect(await list(player, { label: 'hero' })).toEqual([record]);
  });

  it('starts from an empty object when there is no state, or one that is not an object', async () => {
    const player = await server.openSession(gameId);
    const patch = async (label: string) =>
      accepted(await call(player, 'patch-state', { label, patch: '{"a":{"b":null}}' }), newState).newState;
    expect(await patch('new')).toMatchObject({ version: 1, state: { a: {} } });
    await set(player, 'list', [1, 2]);
    expect(await patch('list')).toMatchObject({ version: 2, state: { a: {} } });
  });

  it.each([
    ['7', 7],
    ['[null]', [null]],
    ['null', null],
    ['"text"', 'text'],
  ])('replaces the state with %s, which is not an object', async (patch, state) => {
    const player = await server.openSession(gameId);
    await set(player, 'a', { b: 1 });
    const { newState: record } = accepted(await call(player, 'patch-state', { label: 'a', patch }), newState);
    expect(record.state).toEqual(state);
  });

  it('accepts the object itself when dispatched, also a large one', async () => {
    const player = await server.openSession(gameId);
    const patch = async (value: unknown) =>
      accepted(await dispatch(player, 'patchState', { label: 'a', patch: value }), newState).newState;
    await patch({ a: 1, b: { c: 2 } });
    expect((await patch({ b: { c: null, d: 3 } })).state).toEqual({ a: 1, b: { d: 3 } });
    expect((await patch({ large, b: null })).state).toEqual({ a: 1, large });
    expect(await patch({ a: 2 })).toMatchObject({ version: 4, state: { a: 2, large } });
    expect((await patch('{"large":null}')).state).toEqual({ a: 2 });
  });

  it('loses none of many concurrent patches, whatever size the state has', async () => {
    for (const filling of ['', large]) {
      const player = await server.openSession(gameId);
      await set(player, 'a', { filling });
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, n) =>
          call(player, 'patch-state', { label: 'a', patch: `{"k${n}":${n}}` }),
        ),
      );
      const versions = answers.map((answer) => accepted(answer, newState).newState.version);
      expect(versions.sort((one, other) => one - other)).toEqual(answers.map((_, n) => n + 2));
      const [kept] = await list(player);
      expect(Object.keys(Object(kept?.state))).toHaveLength(13);
    }
  });

  it('is refused when the state has another version, whatever its size', async () => {
    for (const filling of ['', large]) {
      const player = await server.openSession(gameId);
      const ask = (ifVersion: number) =>
        call(player, 'patch-state', { label: 'a', patch: '{"b":1}', ifVersion });
      conflicts(await ask(3), 'a', 0);
      const before = await set(player, 'a', { filling });
      conflicts(await ask(0), 'a', 1);
      conflicts(await ask(2), 'a', 1);
      expect(await list(player)).toEqual([before]);
      accepted(await ask(1), newState);
    }
  });

  it('is refused when the state would exceed a megabyte, or the player the quota', async () => {
    const player = await server.openSession(gameId);
    const before = await set(player, 'a', { a: 'x'.repeat(600_000) });
    const patch = JSON.stringify({ b: 'x'.repeat(600_000) });
    refused(await call(player, 'patch-state', { label: 'a', patch }), 400, 'state_too_large', 'patch');
    expect(await list(player)).toEqual([before]);
    await using small = await startTestServer({ STORAGE_QUOTA_MEGABYTES: '1' });
    const other = await small.openSession((await small.createGame()).gameId);
    const as = (path: string, body: object) =>
      apiOf(small).post(`/launcher/${path}`, { launcherJwt: other.launcherJwt, ...body });
    const most = JSON.stringify({ a: 'x'.repeat(megabyte - 2_000) });
    accepted(await as('set-state', { label: 'a', state: most }), newState);
    const more = { label: 'a', patch: JSON.stringify({ b: 'x'.repeat(1_900) }) };
    refused(await as('patch-state', more), 413, 'storage_full');
    accepted(await as('patch-state', { label: 'a', patch: '{"a":null}' }), newState);
    accepted(await as('patch-state', more), newState);
  });

  itRefuses(api, '/launcher/patch-state', () => ({ launcherJwt, label: 'a', patch: '{}' }), [
    ...requiredString('patch'),
    ...faults('patch', ['', '{', "{'a':1}", '1e999', '{}{}', `{"a":[1e999,"${large}"]}`], 'state_not_json'),
    ...faults('patch', [`${'['.repeat(33)}${']'.repeat(33)}`], 'body_too_deep'),
    ...faults('patch', [`"${'a'.repeat(megabyte)}"`], 'state_too_large'),
    ...requiredString('label'),
    ...faults('label', ['', 'l'.repeat(201)], 'input_invalid'),
    ...options,
  ]);

  it.each([
    ['left out', missing, 'input_invalid'],
    ['text that is not JSON', '{', 'state_not_json'],
  ] as const)('refuses a dispatched patch that is %s', async (_what, patch, reason) => {
    refused(await api.dispatch('patchState', { launcherJwt, label: 'a', patch }), 400, reason, 'patch');
  });
});

describe('remove-state', () => {
  it('removes a state and returns it, then null', async () => {
    const player = await server.openSession(gameId);
    const { state: _, ...head } = await set(player, 'a', { b: 1 });
    const kept = await set(player, 'b', 2);
    expect(accepted(await call(player, 'remove-state', { label: 'a' }), removed).removedState).toEqual(head);
    expect(accepted(await call(player, 'remove-state', { label: 'a' }), removed).removedState).toBeNull();
    expect(await list(player)).toEqual([kept]);
  });

  it('accepts a required version', async () => {
    const player = await server.openSession(gameId);
    const ask = (ifVersion: number) => call(player, 'remove-state', { label: 'a', ifVersion });
    conflicts(await ask(1), 'a', 0);
    expect(accepted(await ask(0), removed).removedState).toBeNull();
    await set(player, 'a', large);
    await set(player, 'a', large);
    conflicts(await ask(1), 'a', 2);
    conflicts(await ask(0), 'a', 2);
    expect(accepted(await ask(2), removed).removedState).toMatchObject({ label: 'a', version: 2 });
  });

  it("frees the state's share of the storage quota, but never its version", async () => {
    await using small = await startTestServer({ STORAGE_QUOTA_MEGABYTES: '1' });
    const player = await small.openSession((await small.createGame()).gameId);
    const as = (path: string, body: object) =>
      apiOf(small).post(`/launcher/${path}`, { launcherJwt: player.launcherJwt, ...body });
    const most = JSON.stringify('x'.repeat(megabyte - 1_000));
    accepted(await as('set-state', { label: 'a', state: most }), newState);
    refused(await as('set-state', { label: 'b', state: '{}' }), 413, 'storage_full');
    accepted(await as('remove-state', { label: 'a' }), removed);
    accepted(await as('set-state', { label: 'b', state: '{}' }), newState);
    accepted(await as('remove-state', { label: 'b' }), removed);
    const { newState: again } = accepted(await as('set-state', { label: 'a', state: '1' }), newState);
    expect(again.version).toBeGreaterThan(1);
    refused(await as('set-state', { label: 'a', state: '2', ifVersion: 1 }), 409, 'version_conflict');
  });

  itRefuses(api, '/launcher/remove-state', () => ({ launcherJwt, label: 'a' }), [
    ...requiredString('label'),
    ...faults('label', ['', 'l'.repeat(201)], 'input_invalid'),
    ...faults('ifVersion', notVersions, 'input_invalid'),
  ]);
});

describe('set-states', () => {
  const text = (state: unknown) => JSON.stringify(state);

  it('stores every state as setState would, and returns them in the same order', async () => {
    const player = await server.openSession(gameId);
    await set(player, 'b', 1);
    const body = {
      states: [
        { label: 'c', state: text({ z: 1, a: 2 }), public: true },
        { label: 'a', state: text([1]), ifVersion: 0 },
        { label: 'b', state: text(2), ifVersion: 1 },
      ],
    };
    const { newStates: records } = accepted(await call(player, 'set-states', body), newStates);
    expect(records.map(({ label, version, state }) => [label, version, state])).toEqual([
      ['c', 1, { z: 1, a: 2 }],
      ['a', 1, [1]],
      ['b', 2, 2],
    ]);
    expect(records.map((record) => record.public)).toEqual([true, undefined, undefined]);
    expect(JSON.stringify(records[0]?.state)).toBe('{"a":2,"z":1}');
    expect(await list(player)).toEqual(records.toReversed());
  });

  it('writes none when one of them is refused', async () => {
    const player = await server.openSession(gameId);
    const before = await set(player, 'a', 1);
    const ask = (one: object) =>
      call(player, 'set-states', {
        states: [
          { label: 'b', state: '1' },
          { label: 'a', state: '2', ...one },
        ],
      });
    conflicts(await ask({ ifVersion: 2 }), 'a', 1);
    refused(await ask({ state: '{' }), 400, 'state_not_json', 'states.1.state');
    refused(await ask({ state: `[1e999,"${large}"]` }), 400, 'state_not_json', 'states.1.state');
    refused(await ask({ label: 'b' }), 400, 'input_invalid', 'states');
    refused(await ask({ label: '' }), 400, 'input_invalid', 'states.1.label');
    expect(await list(player)).toEqual([before]);
  });

  it('accepts the states themselves when dispatched, also large ones, and null for omitted fields', async () => {
    const player = await server.openSession(gameId);
    const ask = (...states: object[]) => dispatch(player, 'setStates', { states });
    const small = await ask({ label: 'a', state: { b: [1], a: 2 }, ifVersion: null, public: null });
    expect(accepted(small, newStates).newStates[0]?.state).toEqual({ a: 2, b: [1] });
    const many = await ask(
      { label: 'a', state: { large }, ifVersion: 1 },
      { label: 'b', state: [large] },
      { label: 'c', state: text({ large }) },
      { label: 'd', state: 7 },
    );
    const { newStates: records } = accepted(many, newStates);
    expect(records.map(({ state }) => state)).toEqual([{ large }, [large], { large }, 7]);
    expect(records[2]?.ipfsHash).toBe(records[0]?.ipfsHash);
    const tooLarge = await ask({ label: 'a', state: 1 }, { label: 'b', state: ['x'.repeat(megabyte)] });
    refused(tooLarge, 400, 'state_too_large', 'states.1.state');
    refused(
      await ask({ label: 'a' }, { label: 'b', state: [large] }),
      400,
      'input_invalid',
      'states.0.state',
    );
  });

  it('accepts 20 states, and no more', async () => {
    const player = await server.openSession(gameId);
    const ask = (count: number) =>
      call(player, 'set-states', {
        states: Array.from({ length: count }, (_, n) => ({ label: `l${n}`, state: text(n) })),
      });
    expect(accepted(await ask(20), newStates).newStates).toHaveLength(20);
    refused(await ask(21), 400, 'input_invalid', 'states');
  });

  it('counts all of them against the storage quota', async () => {
    await using small = await startTestServer({ STORAGE_QUOTA_MEGABYTES: '1' });
    const player = await small.openSession((await small.createGame()).gameId);
    const half = text('x'.repeat(600_000));
    const body = {
      launcherJwt: player.launcherJwt,
      states: [
        { label: 'a', state: half },
        { label: 'b', state: half },
      ],
    };
    refused(await apiOf(small).post('/launcher/set-states', body), 413, 'storage_full');
  });

  itRefuses(api, '/launcher/set-states', () => ({ launcherJwt, states: [{ label: 'a', state: '1' }] }), [
    ...faults('states', [missing, null, [], {}, 'a'], 'input_invalid'),
  ]);
  const one = (given: object) => ({ launcherJwt, states: [{ label: 'a', state: '1', ...given }] });
  it.each([
    ...[...notStrings, missing].map((state) => ['state', state] as const),
    ...[...notStrings, missing, 'l'.repeat(201)].map((label) => ['label', label] as const),
    ...notVersions.map((version) => ['ifVersion', version] as const),
    ...notBooleans.map((value) => ['public', value] as const),
  ])('refuses %s %j of a state', async (field, value) => {
    const answer = await api.post('/launcher/set-states', one({ [field]: value }));
    refused(answer, 400, 'input_invalid', `states.0.${field}`);
  });
});

describe('get-states with a prefix', () => {
  it('returns the states whose labels begin with it, by label, in pages', async () => {
    const player = await server.openSession(gameId);
    for (const label of ['slot/2', 'slot/10', 'slots', 'slot/1', 'Slot/1', 'slot%', 'settings']) {
      await set(player, label, label);
    }
    const labels = async (body: object) => (await list(player, body)).map(({ label }) => label);
    expect(await labels({ prefix: 'slot/' })).toEqual(['slot/1', 'slot/10', 'slot/2']);
    expect(await labels({ prefix: 'slot/', limit: 1, skip: 1 })).toEqual(['slot/10']);
    expect(await labels({ prefix: 'slot%' })).toEqual(['slot%']);
    expect(await labels({ prefix: 'slot_' })).toEqual([]);
    expect(await labels({ prefix: '' })).toHaveLength(7);
    expect((await labels({ prefix: '' }))[0]).toBe('settings'); // last updated first
    expect(await labels({ prefix: 's', label: 'slots' })).toEqual(['slots']);
    expect(await labels({ prefix: 'slot/', label: 'slots' })).toEqual([]);
  });

  itRefuses(api, '/launcher/get-states', () => ({ launcherJwt }), [
    ...faults('prefix', [7, true, ['l'], { l: 1 }, 'l'.repeat(201), '\ud800'], 'input_invalid'),
  ]);
});

describe('get-public-states', async () => {
  const owner = await server.openSession(gameId);
  const reader = await server.openSession(gameId);
  const card = await set(owner, 'card', { title: 'Pilot' }, { public: true });
  const avatar = await set(owner, 'avatar', { hat: 'crown' }, { public: true });
  await set(owner, 'diary', { secret: 'canary-of-the-diary' });
  await set(owner, 'deck', { secret: 'canary-of-the-deck' }, { public: false });
  const read = async (player: TestPlayer, body: object = {}) => {
    const answer = await call(player, 'get-public-states', { wallet: owner.wallet, ...body });
    return accepted(answer, states).states;
  };

  it('returns what a player has made public, by label, marked as public', async () => {
    expect(await read(reader)).toEqual([avatar, card]);
    expect(card.public).toBe(true);
    expect(await read(reader, { label: 'card' })).toEqual([card]);
    expect(await read(reader, { prefix: 'c' })).toEqual([card]);
    expect(await read(reader, { limit: 1, skip: 1 })).toEqual([card]);
    const checksummed = owner.wallet.toUpperCase().replace('0X', '0x');
    expect(await read(reader, { wallet: checksummed })).toEqual([avatar, card]);
  });

  it("treats a private state as missing: another player's, and one's own", async () => {
    for (const player of [reader, owner]) {
      for (const filter of [{ label: 'diary' }, { label: 'none' }, { prefix: 'd' }, { prefix: 'none' }]) {
        const answer = await call(player, 'get-public-states', { wallet: owner.wallet, ...filter });
        expect(answer.body).toEqual({ success: true, states: [] });
      }
      expect(JSON.stringify(await read(player))).not.toContain('canary');
    }
    expect(await read(reader, { wallet: randomWallet() })).toEqual([]);
  });

  it("is limited to the token's game", async () => {
    const { gameId: elsewhere } = await server.createGame();
    expect(await read(await server.openSession(elsewhere))).toEqual([]);
    expect(await read(await server.openSession(elsewhere, owner.wallet))).toEqual([]);
  });

  it('stops returning a state once a write makes it private, or it is removed', async () => {
    const player = await server.openSession(gameId);
    const labels = async () => (await read(reader, { wallet: player.wallet })).map(({ label }) => label);
    for (const label of ['a', 'b', 'c']) await set(player, label, 1, { public: true });
    await set(player, 'a', 2);
    await set(player, 'b', 2, { public: false });
    await call(player, 'remove-state', { label: 'c' });
    expect(await labels()).toEqual(['a']);
    const body = { label: 'a', patch: '{}', public: false };
    expect(accepted(await call(player, 'patch-state', body), newState).newState).not.toHaveProperty('public');
    expect(await labels()).toEqual([]);
  });

  it('writes nothing: its owner still sees the state unchanged', async () => {
    expect((await list(owner)).map(({ label, public: isPublic }) => [label, isPublic])).toEqual([
      ['deck', undefined],
      ['diary', undefined],
      ['avatar', true],
      ['card', true],
    ]);
  });

  itRefuses(api, '/launcher/get-public-states', () => ({ launcherJwt, wallet: owner.wallet }), [
    ...faults('wallet', [missing, null, 7], 'address_invalid'),
    ...faults('wallet', ['', '0x12', `0x${'g'.repeat(40)}`], 'address_invalid'),
    ...faults('label', [7, true, ['l'], { l: 1 }, 'l'.repeat(201)], 'input_invalid'),
    ...faults('prefix', [7, true, ['l'], { l: 1 }, 'l'.repeat(201)], 'input_invalid'),
    ...pagingFaults,
  ]);
});

describe('the reference client', () => {
  it('calls with the states themselves, and receives the current version', async () => {
    const { launcherJwt: token, wallet } = await server.openSession(gameId);
    const client = new GantryClient({ url: server.url, launcherJwt: token });
    try {
      const { newState: first } = await client.call('setState', {
        label: 'a',
        state: { b: 1 },
        ifVersion: 0,
        public: true,
      });
      const stale = client.call('setState', { label: 'a', state: 2, ifVersion: 9 });
      const refusal = await stale.catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(GantryError);
      expect(refusal).toMatchObject({ reason: 'version_conflict', code: 409, version: first.version });
      const { newState: patched } = await client.call('patchState', { label: 'a', patch: { c: [2] } });
      expect(patched).toMatchObject({ version: first.version + 1, state: { b: 1, c: [2] } });
      const several = [
        { label: 'a', state: 3 },
        { label: 'b', state: [4] },
      ];
      const { newStates: written } = await client.call('setStates', { states: several });
      expect(written.map(({ version }) => version)).toEqual([3, 1]);
      const { states: seen } = await client.call('getPublicStates', { wallet });
      expect(seen).toMatchObject([{ label: 'a', public: true, state: 3 }]);
      const { removedState } = await client.call('removeState', { label: 'a', ifVersion: 3 });
      expect(removedState?.version).toBe(3);
      expect(await client.call('getStates', { prefix: 'a' })).toEqual({ success: true, states: [] });
    } finally {
      client.close();
    }
  });
});
