import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asJsonText, writeJson } from '../../src/core/schemas/json-text.ts';

test('a value given as text is serialized like the value itself, wherever and however often it occurs', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      const json = (value: unknown) => asJsonText(JSON.stringify(value));
      const given = { one: json(one), list: [json(other), { one: json(one) }], last: other };
      const meant = JSON.stringify({ one, list: [other, { one }], last: other });
      expect(writeJson(given)).toBe(meant);
      expect(JSON.stringify(given)).toBe(meant); // by code unaware of it, such as Socket.IO
      expect(writeJson(json(one))).toBe(JSON.stringify(one));
      expect(writeJson(other)).toBe(JSON.stringify(other));
    }),
  );
});

test('unserializable values throw, and the next one is serialized normally', () => {
  const round: Record<string, unknown> = { text: asJsonText('1') };
  round.self = round;
  expect(() => writeJson(round)).toThrow(TypeError);
  expect(JSON.stringify({ text: asJsonText('[1]') })).toBe('{"text":[1]}');
});
