import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalState } from '../../src/features/states/state.ts';

/** Integer keys are the one thing we order differently from RFC 8785. */
const key = fc.string({ unit: 'binary' }).filter((text) => !/^(0|[1-9]\d*)$/.test(text));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string({ unit: 'binary' }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(null, true, false, 0, -0),
    fc.array(tie('value')),
    fc.dictionary(key, tie('value')),
  ),
}));

test('a state is serialized as in RFC 8785, and its value round-trips', () => {
  fc.assert(
    fc.property(value, (sent) => {
      const { json, state } = canonicalState(sent);
      expect(json).toBe(canonicalize(sent));
      expect(JSON.stringify(state)).toBe(json);
      expect(canonicalState(JSON.parse(json)).json).toBe(json);
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ['{"b":1,"a":{"d":1,"c":2}}', '{"a":{"c":2,"d":1},"b":1}'],
  ['{"b":0,"10":1,"9":2}', '{"9":2,"10":1,"b":0}'],
  ['{"z":1,"__proto__":{"polluted":true}}', '{"__proto__":{"polluted":true},"z":1}'],
])('%s is serialized as %s', (sent, written) => {
  expect(canonicalState(JSON.parse(sent)).json).toBe(written);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

test('a number too large for a double is refused', () => {
  expect(() => canonicalState(JSON.parse('[1e999]'))).toThrow(/1e999/);
});
