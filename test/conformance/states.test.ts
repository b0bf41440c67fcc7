import { CID } from 'multiformats/cid';
import * as raw from 'multiformats/codecs/raw';
import { sha256 } from 'multiformats/hashes/sha2';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { saveState } from '../../src/features/states/commands.ts';
import { apiOf } from '../support/api.ts';
import { connectWithHeaders } from '../support/caller.ts';
import { nextMillisecond } from '../support/clock.ts';
import { faults, itRefuses, missing, pagingFaults, requiredString } from '../support/field-faults.ts';
import { accepted, refused } from '../support/outcome.ts';
import { stateRecord, succeeded } from '../support/records.ts';
import { startTestServer, type TestPlayer } from '../support/server.ts';

const server = await startTestServer();
afterAll(server.close);
const api = apiOf(server);
const { gameId } = await server.createGame();
const ada = await server.openSession(gameId);
const { launcherJwt } = ada;

const newState = succeeded({ newState: stateRecord });
const states = succeeded({ states: z.array(stateRecord) });

const megabyte = 1_048_576;

async function set(player: TestPlayer, label: string, state: unknown) {
  const body = { launcherJwt: player.launcherJwt, label, state: JSON.stringify(state) };
  return accepted(await api.post('/launcher/set-state', body), newState).newState;
}

async function list(player: TestPlayer, body: object = {}) {
  const answer = await api.post('/launcher/get-states', { launcherJwt: player.launcherJwt, ...body });
  return accepted(answer, states).states;
}

/** As `ipfs block put` names a block: CIDv1, raw codec, sha2-256. */
async function contentId(text: string): Promise<string> {
  return CID.createV1(raw.code, await sha256.digest(new TextEncoder().encode(text))).toString();
}

describe('set-state', () => {
  it('accepts the state as a JSON string and returns the whole record, the state as an object', async () => {
    const before = Date.now();
    const body = { launcherJwt, label: 'inventory', state: '{"gold": 7, "items": ["key"]}' };
    const { newState: record } = accepted(await api.post('/launcher/set-state', body), newState);
    expect(record).toMatchObject({
      gameId,
      normalizedAddress: ada.wallet,
      label: 'inventory',
      state: { gold: 7, items: ['key'] },
    });
    expect(record.updatedAt).toBeGreaterThanOrEqual(before);
    expect(record.updatedAt).toBeLessThanOrEqual(Date.now());
  });

  it('replaces the state under a label', async () => {
    const player = await server.openSession(gameId);
    const first = await set(player, 'level', { at: 1 });
    await nextMillisecond();
    const second = await set(player, 'level', { at: 2 });
    expect(second._id).toBe(first._id);
    expect(second.updatedAt).toBeGreaterThan(first.updatedAt);
    expect(await list(player)).toEqual([second]);
  });

  it('scopes labels to players and games', async () => {
    const player = await server.openSession(gameId);
    const mine = await set(player, 'same', 'mine');
    await set(await server.openSession(gameId), 'same', 'theirs');
    const { gameId: elsewhere } = await server.createGame();
    const there = await server.openSession(elsewhere, player.wallet);
    const inOtherGame = await set(there, 'same', 'elsewhere');
    expect(await list(player)).toEqual([mine]);
    expect(await list(there)).toEqual([inOtherGame]);
  });

  itRefuses(api, '/launcher/set-state', () => ({ launcherJwt, label: 'save', state: '{}' }), [
    ...requiredString('state'),
    ...faults('state', ['', '{', '{"a":1,}', 'undefined', "{'a':1}", '1e999', '{}{}'], 'state_not_json'),
    ...requiredString('label'),
    ...faults('label', ['', 'l'.repeat(201)], 'input_invalid'),
  ]);
});

const values: [what: string, json: string][] = [
  ['an object', '{"a":1}'],
  ['an empty object', '{}'],
  ['an array', '[1,[2,"three"]]'],
  ['a number', '42.5'],
  ['zero', '0'],
  ['a string', '"saved"'],
  ['an empty string', '""'],
  ['a boolean', 'false'],
  ['null', 'null'],
  ['an object with the key __proto__', '{"__proto__":{"admin":true},"constructor":1}'],
  ['an object with an empty key', '{"":1}'],
  ['text beyond the basic plane', '{"name":"Ünï 🎲"}'],
];

describe.each(values)('a state that is %s', (what, json) => {
  it('is returned unchanged, by its dedicated path', async () => {
    const body = { launcherJwt, label: what, state: json };
    const { newState: record } = accepted(await api.post('/launcher/set-state', body), newState);
    expect(JSON.stringify(record.state)).toBe(json);
    const [kept] = await list(ada, { label: what });
    expect(kept).toEqual(record);
  });

  it('is accepted as a JSON string when dispatched', async () => {
    const body = { launcherJwt, label: what, state: json };
    const { newState: record } = accepted(await api.dispatch('setState', body), newState);
    expect(JSON.stringify(record.state)).toBe(json);
  });
});

describe('setState, dispatched', () => {
  // A string is parsed as JSON there, as the tests above say.
  it.each(values.filter(([, json]) => !json.startsWith('"')))(
    'accepts %s as the state itself',
    async (what, json) => {
      const body = `{"launcherJwt":"${launcherJwt}","label":"${what}","state":${json}}`;
      const { newState: record } = accepted(await api.dispatch('setState', body), newState);
      expect(JSON.stringify(record.state)).toBe(json);
    },
  );

  it.each([
    ['left out', missing, 'input_invalid'],
    ['a string that is not JSON', '{', 'state_not_json'],
  ] as const)('refuses a state %s', async (_what, state, reason) => {
    const answer = await api.dispatch('setState', { launcherJwt, label: 'save', state });
    refused(answer, 400, reason, 'state');
  });

  it('refuses a number too large for a double', async () => {
    const body = `{"launcherJwt":"${launcherJwt}","label":"save","state":{"big":1e999}}`;
    refused(await api.dispatch('setState', body), 400, 'state_not_json', 'state');
  });
});

describe('ipfsHash', () => {
  it.each([
    ['{ "b": 2, "a": 1 }', '{"a":1,"b":2}'],
    ['{"z":[3,{"y":1,"x":2}],"é":null}', '{"z":[3,{"x":2,"y":1}],"é":null}'],
    ['{"n":1.0,"m":1e3,"o":0.10,"t":-0}', '{"m":1000,"n":1,"o":0.1,"t":0}'],
    ['"\\u20ac\\u000a"', '"€\\n"'],
    ['[]', '[]'],
    ['{"a":0,"10":"ten","9":"nine"}', '{"9":"nine","10":"ten","a":0}'],
  ])('of %s is the CID of %s', async (sent, canonical) => {
    const body = { launcherJwt, label: 'hash', state: sent };
    const { newState: record } = accepted(await api.post('/launcher/set-state', body), newState);
    expect(record.ipfsHash).toBe(await contentId(canonical));
  });

  it('of {} is the CID that ipfs gives those two bytes', async () => {
    const { ipfsHash } = await set(ada, 'hash', {});
    expect(ipfsHash).toBe('bafkreicecnx2gvntm6fbcrvnc336qze6st5u7qq7457igegamd3bzkx7ri');
  });

  it('is the same whichever way and in whichever key order the state was sent', async () => {
    const first = await set(ada, 'hash-1', { b: [1, 2], a: 'x' });
    const body = { launcherJwt, label: 'hash-2', state: { a: 'x', b: [1, 2] } };
    const second = accepted(await api.dispatch('setState', body), newState).newState;
    expect(second.ipfsHash).toBe(first.ipfsHash);
  });

  it.each(['{"b":2,"a":1}', '{"10":"ten","9":"nine"}'])(
    'is the CID of the exact bytes of the state in the response, for %s',
    async (state) => {
      const response = await fetch(`${server.url}/launcher/set-state`, {
        method: 'POST',
        body: JSON.stringify({ launcherJwt, label: 'bytes', state }),
      });
      const text = await response.text();
      const { ipfsHash } = accepted(
        { status: response.status, headers: response.headers, body: JSON.parse(text) },
        newState,
      ).newState;
      const returned = /"state":(\{[^}]*\})/.exec(text)?.[1] ?? '';
      expect(await contentId(returned)).toBe(ipfsHash);
    },
  );
});

describe('a state', () => {
  it.each([
    ['1,048,576 bytes', `"${'a'.repeat(megabyte - 2)}"`],
    ['1,048,576 bytes in three-byte characters', `"${'€'.repeat((megabyte - 4) / 3)}aa"`],
  ])('of %s is accepted and returned whole', async (_what, state) => {
    expect(Buffer.byteLength(state)).toBe(megabyte);
    const body = { launcherJwt, label: 'large', state };
    const { newState: record } = accepted(await api.post('/launcher/set-state', body), newState);
    expect(record.state).toBe(JSON.parse(state));
  });

  it.each([
    ['1,048,577 bytes', `"${'a'.repeat(megabyte - 1)}"`],
    ['1,048,577 bytes in three-byte characters', `"${'€'.repeat((megabyte - 1) / 3)}"`],
  ])('of %s is refused', async (_what, state) => {
    expect(Buffer.byteLength(state)).toBe(megabyte + 1);
    const body = { launcherJwt, label: 'large', state };
    refused(await api.post('/launcher/set-state', body), 400, 'state_too_large', 'state');
    refused(await api.dispatch('setState', body), 400, 'state_too_large', 'state');
  });

  it('is refused when it is too large as a JSON value of a dispatched call', async () => {
    const body = { launcherJwt, label: 'large', state: ['a'.repeat(megabyte)] };
    refused(await api.dispatch('setState', body), 400, 'state_too_large', 'state');
  });

  it.each([
    ['arrays', (depth: number) => '['.repeat(depth) + ']'.repeat(depth)],
    ['objects', (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`],
  ])('of 32 nested %s is accepted, of 33 refused', async (_what, nested) => {
    const set = (depth: number) =>
      api.post('/launcher/set-state', { launcherJwt, label: 'deep', state: nested(depth) });
    accepted(await set(32), newState);
    refused(await set(33), 400, 'body_too_deep');
    refused(await set(20_000), 400, 'body_too_deep');
  });
});

describe('a large state sent as a value', () => {
  const wide = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, at) => [`k${(at * 7919) % 20_000}`, at]),
  );
  const send = (state: string) =>
    api.request('/launcher', {
      method: 'POST',
      headers: { 'X-Service-Method': 'setState' },
      body: `{"launcherJwt":"${launcherJwt}","label":"wide","state":${state}}`,
    });

  it('is stored identically to one sent as text, its keys in order', async () => {
    const asText = await set(ada, 'as text', wide);
    const { newState: asValue } = accepted(await send(JSON.stringify(wide)), newState);
    expect(asValue.ipfsHash).toBe(asText.ipfsHash);
    expect(JSON.stringify(asValue.state)).toBe(JSON.stringify(asText.state));
  });

  it('is refused like a small one: a number that JSON cannot carry, more than a megabyte, not JSON', async () => {
    const filling = `"${'a'.repeat(100_000)}"`;
    refused(await send(`[1e999,${filling}]`), 400, 'state_not_json', 'state');
    refused(await send(`["${'a'.repeat(megabyte)}"]`), 400, 'state_too_large', 'state');
    refused(await send(`[${filling}`), 400, 'body_not_json');
    refused(await send(`${'['.repeat(40)}${filling}${']'.repeat(40)}`), 400, 'body_too_deep');
  });

  it('is unchanged when sent to an operation that takes no large value', async () => {
    const body = { launcherJwt, otherParticipants: Array.from({ length: 3_000 }, () => ada.wallet) };
    refused(await api.post('/launcher/create-message-channel', body), 400, 'participants_invalid');
    const text = `[${'1,'.repeat(50_000)}1]`;
    const dedicated = `{"launcherJwt":"${launcherJwt}","label":"wide","state":${text}}`;
    refused(
      await api.request('/launcher/set-state', { method: 'POST', body: dedicated }),
      400,
      'input_invalid',
      'state',
    );
  });
});

describe('get-states', () => {
  it('lists the most recently updated first', async () => {
    const player = await server.openSession(gameId);
    for (const label of ['one', 'two', 'three', 'one']) {
      await set(player, label, label);
      await nextMillisecond();
    }
    expect((await list(player)).map((record) => record.label)).toEqual(['one', 'three', 'two']);
  });

  it('returns the state of a label, or none', async () => {
    const player = await server.openSession(gameId);
    const one = await set(player, 'one', 1);
    await set(player, 'two', 2);
    expect(await list(player, { label: 'one' })).toEqual([one]);
    expect(await list(player, { label: 'three' })).toEqual([]);
  });

  it('is also called getState, the name that clients use', async () => {
    const one = await set(await server.openSession(gameId), 'one', 1);
    const reader = await server.openSession(gameId, one.normalizedAddress);
    for (const method of ['getState', 'getStates']) {
      const answer = await api.dispatch(method, { launcherJwt: reader.launcherJwt, label: 'one' });
      expect(accepted(answer, states).states).toEqual([one]);
    }
  });

  describe('pagination', async () => {
    const player = await server.openSession(gameId);
    const { db } = server.services;
    const hash = await contentId('1');
    await Promise.all(Array.from({ length: 255 }, (_, n) => db.write(saveState, player, `l${n}`, '1', hash)));

    it.each([
      [{}, 20],
      [{ limit: 4, skip: 3 }, 4],
      [{ limit: 251 }, 250],
      [{ limit: 0 }, 20],
      [{ limit: null, skip: null, label: null }, 20],
      [{ skip: 250 }, 5],
    ])('%j returns %i states', async (body, count) => {
      expect(await list(player, body)).toHaveLength(count);
    });

    it('skips as many as requested', async () => {
      const all = await list(player, { limit: 250 });
      expect(await list(player, { limit: 5, skip: 10 })).toEqual(all.slice(10, 15));
    });
  });

  it('has shorter pages of large states, which say so, and continues where they end', async () => {
    const player = await server.openSession(gameId);
    for (const label of ['a', 'b', 'c', 'd', 'e', 'f']) await set(player, label, label.repeat(1_000_000));
    const shortened = states.extend({ shortened: z.literal(true) });
    const ask = (body: object) =>
      api.post('/launcher/get-states', { launcherJwt: player.launcherJwt, ...body });
    const first = accepted(await ask({ limit: 250 }), shortened).states;
    expect(first.map(({ label }) => label)).toEqual(['f', 'e', 'd', 'c']);
    const rest = accepted(await ask({ limit: 250, skip: 4 }), states).states;
    expect(rest.map(({ label }) => label)).toEqual(['b', 'a']);
    const reader = await connectWithHeaders(server.url, {});
    const answer = await reader.call('getStates', { launcherJwt: player.launcherJwt, limit: 250 });
    expect(answer).toMatchObject({ shortened: true });
    reader[Symbol.dispose]();
  });

  itRefuses(api, '/launcher/get-states', () => ({ launcherJwt }), [
    ...pagingFaults,
    ...faults('label', [7, true, ['l'], { l: 1 }], 'input_invalid'),
  ]);
});

describe('the storage quota', () => {
  it('refuses a state beyond it, by whichever call, and accepts one that is smaller than before', async () => {
    await using small = await startTestServer({ STORAGE_QUOTA_MEGABYTES: '1' });
    const { gameId: game } = await small.createGame();
    const player = await small.openSession(game);
    const as = (path: string, body: object) =>
      apiOf(small).post(`/launcher/${path}`, { launcherJwt: player.launcherJwt, ...body });
    const large = JSON.stringify('a'.repeat(megabyte - 1_000));
    accepted(await as('set-state', { label: 'one', state: large }), newState);
    refused(await as('set-state', { label: 'two', state: '{}' }), 413, 'storage_full');
    const track = { sessionId: crypto.randomUUID(), state: '{}' };
    refused(await as('track-game-sessions', track), 413, 'storage_full');
    accepted(await as('set-state', { label: 'one', state: '{}' }), newState);
    accepted(await as('track-game-sessions', track), succeeded({}));
  });
});
