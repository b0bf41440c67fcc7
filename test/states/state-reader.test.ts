import { Worker } from 'node:worker_threads';
import { afterAll, describe, expect, test } from 'vitest';
import { readState } from '../../src/domain/state.ts';
import { StateReader } from '../../src/states/state-reader.ts';

const large = JSON.stringify({ b: 'x'.repeat(200_000), a: [1, { d: 'é', c: null }] });
const filler = ' '.repeat(100_000);

describe('states sent as text', () => {
  const reader = new StateReader();
  afterAll(() => reader.close());

  test('are read the same by a thread and without one', async () => {
    for (const text of ['{"b":1,"a":2}', large, `${filler}[1, 2]`]) {
      expect(await reader.read(text)).toEqual(readState(text));
    }
  });

  test('many at once are each read as what they are', async () => {
    const texts = Array.from({ length: 40 }, (_, n) => JSON.stringify({ n, filler: 'x'.repeat(50_000 + n) }));
    const states = await Promise.all(texts.map((text) => reader.read(text)));
    expect(states).toEqual(texts.map(readState));
  });

  test.each([
    ['{"a":', 'state_not_json'],
    [`${'['.repeat(40)}${']'.repeat(40)}`, 'body_too_deep'],
    [`"${'x'.repeat(1_048_576)}"`, 'state_too_large'],
    ['[1e999]', 'state_not_json'],
  ])('%.10s… is refused, whoever reads it', async (text, reason) => {
    for (const sent of [text, `${text}${filler}`]) {
      const refused = reader.read(sent);
      await expect(refused).rejects.toMatchObject({ reason, code: expect.any(Number) });
      await expect(refused).rejects.toHaveProperty('fields.0.path', 'state');
    }
  });
});

test('when a thread ends, what it had to read is read all the same, and so is the next', async () => {
  const started: Worker[] = [];
  const reader = new StateReader(() => {
    const worker = new Worker('process.exit(1)', { eval: true });
    started.push(worker);
    return worker;
  });
  expect(await reader.read(large)).toEqual(readState(large));
  expect(await reader.read(large)).toEqual(readState(large));
  expect(started).toHaveLength(2);
  await reader.close();
});
