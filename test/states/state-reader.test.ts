import { Worker } from 'node:worker_threads';
import { afterAll, describe, expect, test } from 'vitest';
import { LargeValue } from '../../src/features/states/large-input.ts';
import { readState } from '../../src/features/states/state.ts';
import { StateReader } from '../../src/features/states/state-reader.ts';

const large = JSON.stringify({ b: 'x'.repeat(200_000), a: [1, { d: 'é', c: null }] });
const filler = ' '.repeat(100_000);

describe('states sent as text', () => {
  const reader = new StateReader();
  afterAll(() => reader.close());

  test('are parsed the same by a thread and without one', async () => {
    for (const text of ['{"b":1,"a":2}', large, `${filler}[1, 2]`]) {
      expect(await reader.read(text)).toEqual(readState(text));
    }
  });

  test('are each parsed correctly when there are many at once', async () => {
    const texts = Array.from({ length: 40 }, (_, n) => JSON.stringify({ n, filler: 'x'.repeat(50_000 + n) }));
    const states = await Promise.all(texts.map((text) => reader.read(text)));
    expect(states).toEqual(texts.map((text) => readState(text)));
  });

  test.each([
    ['{"a":', 'state_not_json'],
    [`${'['.repeat(40)}${']'.repeat(40)}`, 'body_too_deep'],
    [`"${'x'.repeat(1_048_576)}"`, 'state_too_large'],
    ['[1e999]', 'state_not_json'],
  ])('%.10s… is refused, with a thread and without', async (text, reason) => {
    for (const sent of [text, `${text}${filler}`]) {
      const refused = reader.read(sent);
      await expect(refused).rejects.toMatchObject({ reason, code: expect.any(Number) });
      await expect(refused).rejects.toHaveProperty('fields.0.path', 'state');
    }
  });
});

/** The members of an object. */
const named = (count: number) => Array.from({ length: count }, (_, at) => `"k${at}":1`).join();

describe('socket calls', () => {
  const reader = new StateReader();
  afterAll(() => reader.close());

  test('are parsed by a thread, with large values in them as states', async () => {
    const call = ['setState', 'launcher', { label: 'a', state: { b: 1, a: [2] }, text: 'x' }, {}];
    const { method, service, input } = await reader.readCall(JSON.stringify(call));
    expect([method, service, input.label, input.text]).toEqual(['setState', 'launcher', 'a', 'x']);
    const state = input.state instanceof LargeValue && input.state.state();
    expect(state).toEqual(readState('{"b":1,"a":[2]}'));
    expect((await reader.readCall('["getStates"]')).input).toEqual({});
  });

  test('with a list of states are parsed like each of them', async () => {
    const states = [
      { label: 'a', state: { b: 1, a: [2] }, ifVersion: 3 },
      { label: 'b', state: '{"as":"text"}' },
      { label: 'c', state: [JSON.parse('1e999')] },
    ];
    const text = JSON.stringify(['setStates', 'launcher', { states }]).replace('[null]', '[1e999]');
    const { input } = await reader.readCall(text);
    const [first, second, third] = input.states as Record<string, unknown>[];
    expect(first).toMatchObject({ label: 'a', ifVersion: 3 });
    expect(first?.state instanceof LargeValue && first.state.state()).toEqual(readState('{"a":[2],"b":1}'));
    expect(second).toEqual({ label: 'b', state: '{"as":"text"}' });
    const broken = third?.state;
    expect(() => broken instanceof LargeValue && broken.state()).toThrow(
      /^states\.2\.state: contains a value/,
    );
    // What is not a list of inputs is a value like any other.
    const { input: other } = await reader.readCall(JSON.stringify(['a', 'b', { states: [1, { c: 2 }] }]));
    expect(other.states instanceof LargeValue && other.states.state()).toEqual(readState('[1,{"c":2}]'));
  });

  test('with a state as a long text are parsed with that state, or refused when it is used', async () => {
    const read = async (input: object) => (await reader.readCall(JSON.stringify(['m', 's', input]))).input;
    const text = JSON.stringify({ b: 'x'.repeat(70_000), a: 1 });
    const { state, patch, label } = await read({ state: text, patch: text, label: text });
    expect(label).toBe(text);
    for (const value of [state, patch]) {
      expect(value instanceof LargeValue && [value.isText, value.state()]).toEqual([true, readState(text)]);
    }
    const { states } = await read({ states: [{ label: 'a', state: `${text}]` }] });
    const [{ state: broken } = { state: null }] = states as { state: unknown }[];
    expect(() => broken instanceof LargeValue && broken.state()).toThrow(
      /^states\.0\.state: must be a string/,
    );
  });

  test.each([
    ['{"a":', 'body_not_json'],
    ['{}', 'body_not_json'],
    ['["setState","launcher",7]', 'body_not_object'],
    [`["setState","launcher",{"state":${'['.repeat(32)}${']'.repeat(32)}}]`, 'body_too_deep'],
    [`["setState","launcher",{${named(1_001)}}]`, 'input_invalid'],
    [`["setStates","launcher",{"states":[{}${',{}'.repeat(1_000)}]}]`, 'input_invalid'],
    [`["setStates","launcher",{"states":[{${named(500)}},{${named(500)}}]}]`, 'input_invalid'],
  ])('%.30s… is refused', async (call, reason) => {
    await expect(reader.readCall(call)).rejects.toMatchObject({ reason });
  });
});

describe('request bodies', () => {
  const reader = new StateReader();
  afterAll(() => reader.close());
  const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  const state = async (body: string) => {
    const input = await reader.readInput(Buffer.from(body));
    const [inList] = Array.isArray(input.states) ? input.states : [];
    const value = inList ? inList.state : input.state;
    return value instanceof LargeValue ? value.state().json : value;
  };

  test('have at most 1,000 fields; an object in one may have more', async () => {
    const within = await reader.readInput(Buffer.from(`{${named(999)},"state":{${named(2_000)}}}`));
    expect(Object.keys(within)).toHaveLength(1_000);
    const beyond = reader.readInput(Buffer.from(`{${named(1_000)},"state":{}}`));
    await expect(beyond).rejects.toMatchObject({ reason: 'input_invalid' });
  });

  test.each<[string, (levels: number) => string, number]>([
    ['a value', (levels) => `{"state":${nested(levels)}}`, 31],
    ['a value in a list', (levels) => `{"states":[{"state":${nested(levels)}}]}`, 29],
    ['a long text', (levels) => `{"state":"${nested(levels)}${filler}"}`, 32],
  ])('with a state that is %s are accepted up to the depth of other bodies', async (_, bodyOf, most) => {
    expect(await state(bodyOf(most))).toBe(nested(most));
    for (const levels of [most + 1, 20_000, 400_000]) {
      await expect(state(bodyOf(levels))).rejects.toMatchObject({ reason: 'body_too_deep' });
    }
  });
});

describe('values inside a stored state', () => {
  const reader = new StateReader();
  afterAll(() => reader.close());
  const keys = ['a.1.d', 'b', 'missing', '', 'a'];

  test('are found the same by a thread and without one, and long ones are truncated to a usable length', async () => {
    const small = JSON.stringify({ b: 7, a: [1, { d: 'é' }] });
    const found = ['é', 7, undefined, { json: small }, { json: '[1,{"d":"é"}]' }];
    expect(await reader.valuesOf('small', keys, async () => small)).toEqual(found);
    const b = 'x'.repeat(10_001);
    expect(await reader.valuesOf('large', keys, async () => large)).toEqual([
      'é',
      b,
      undefined,
      { json: large.slice(0, 10_001) },
      { json: '[1,{"d":"é","c":null}]' },
    ]);
  });

  test('are looked up once for each content id and key', async () => {
    let requested = 0;
    const text = async () => {
      requested++;
      return large;
    };
    const [first, second] = await Promise.all([
      reader.valuesOf('kept', ['a.0', 'none'], text),
      reader.valuesOf('kept', ['a.0', 'none'], text),
    ]);
    expect(second).toEqual(first);
    expect(await reader.valuesOf('kept', ['none', 'a.0'], text)).toEqual(first?.toReversed());
    expect(requested).toBe(1);
    await reader.valuesOf('kept', ['a.0', 'a.1.c'], text);
    await reader.valuesOf('another', ['a.0'], text);
    expect(requested).toBe(3);
    expect(await reader.valuesOf('gone', ['a.0'], async () => null)).toBeNull();
  });
});

test('when a thread ends, its pending reads still complete, and so does the next', async () => {
  const started: Worker[] = [];
  const reader = new StateReader(() => {
    const worker = new Worker('process.exit(1)', { eval: true });
    started.push(worker);
    return worker;
  });
  expect(await reader.read(large)).toEqual(readState(large));
  expect(await reader.read(large)).toEqual(readState(large));
  expect(started).toHaveLength(2);
  expect(await reader.valuesOf('id', ['a.0'], async () => large)).toEqual([1]);
  await reader.close();
});
