import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mergedState, mergePatch } from '../../src/features/states/merge-patch.ts';
import { readState } from '../../src/features/states/state.ts';

/** RFC 7396, appendix A: a target, a patch, and the result. */
const examples: [target: unknown, patch: unknown, result: unknown][] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

/** The example of section 3. */
const document = {
  title: 'Goodbye!',
  author: { givenName: 'John', familyName: 'Doe' },
  tags: ['example', 'sample'],
  content: 'This will be unchanged',
};
const patchOfDocument = {
  title: 'Hello!',
  phoneNumber: '+01-123-456-7890',
  author: { familyName: null },
  tags: ['example'],
};
const patchedDocument = {
  title: 'Hello!',
  author: { givenName: 'John' },
  tags: ['example'],
  content: 'This will be unchanged',
  phoneNumber: '+01-123-456-7890',
};

describe('a JSON merge patch', () => {
  test.each([...examples, [document, patchOfDocument, patchedDocument]])(
    'as in RFC 7396: %j with %j is %j',
    (target, patch, result) => {
      expect(mergePatch(structuredClone(target), structuredClone(patch))).toEqual(result);
      expect(mergedState(JSON.stringify(target), JSON.stringify(patch)).json).toBe(
        readState(JSON.stringify(result)).json,
      );
    },
  );

  test('without a state starts from an empty object', () => {
    expect(mergedState(null, '{"a":{"b":null,"c":1},"d":null}').json).toBe('{"a":{"c":1}}');
    expect(mergedState(null, '[null]').json).toBe('[null]');
  });

  test('keeps keys that are special in JavaScript as data', () => {
    const merged = mergedState(
      '{"__proto__":{"a":1},"constructor":2}',
      '{"__proto__":{"polluted":true},"toString":3,"constructor":null}',
    );
    expect(merged.json).toBe('{"__proto__":{"a":1,"polluted":true},"toString":3}');
    expect(mergedState('{"a":1}', '{"__proto__":{"polluted":true}}').json).toBe(
      '{"__proto__":{"polluted":true},"a":1}',
    );
    expect(mergedState('{"__proto__":{"a":1},"b":2}', '{"__proto__":null}').json).toBe('{"b":2}');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test('that makes a state too large is refused', () => {
    const half = JSON.stringify({ a: 'x'.repeat(600_000) });
    const other = JSON.stringify({ b: 'x'.repeat(600_000) });
    expect(() => mergedState(half, other)).toThrow(/^patch: must be at most 1048576 bytes/);
  });

  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(null, true, 0, 'text'),
      fc.array(tie('value'), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'c', '1', '__proto__', 'constructor'), tie('value'), {
        maxKeys: 4,
      }),
    ),
  }));

  test('matches the pseudocode of RFC 7396, whatever the state and the patch', () => {
    fc.assert(
      fc.property(value, value, (target, patch) => {
        const [state, sent] = [JSON.stringify(target), JSON.stringify(patch)];
        const expected = toJson(asWritten(fromJson(JSON.parse(state)), fromJson(JSON.parse(sent))));
        expect(JSON.parse(mergedState(state, sent).json)).toEqual(expected);
      }),
      { numRuns: 1_000 },
    );
  });
});

/** JSON with maps for objects, so that no key is special. */
type Mapped = Map<string, Mapped> | Mapped[] | string | number | boolean | null;

/** RFC 7396, section 2, line by line. */
function asWritten(target: Mapped | undefined, patch: Mapped): Mapped {
  if (!(patch instanceof Map)) return patch;
  const object = target instanceof Map ? target : new Map<string, Mapped>();
  for (const [name, value] of patch) {
    if (value === null) object.delete(name);
    else object.set(name, asWritten(object.get(name), value));
  }
  return object;
}

function fromJson(value: unknown): Mapped {
  if (Array.isArray(value)) return value.map(fromJson);
  if (typeof value !== 'object' || value === null) return value as string | number | boolean | null;
  return new Map(Object.entries(value).map(([key, inner]) => [key, fromJson(inner)]));
}

function toJson(value: Mapped): unknown {
  if (Array.isArray(value)) return value.map(toJson);
  return value instanceof Map
    ? Object.fromEntries([...value].map(([key, inner]) => [key, toJson(inner)]))
    : value;
}
