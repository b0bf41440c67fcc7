import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GantryError } from '../../src/core/errors.ts';
import { refuseRoundedInput, refuseRoundedText } from '../../src/core/schemas/rounded-number.ts';

/** The field and what is said about it; null: not refused. */
function refusalOf(json: string, depth = 0): { path: string; message: string } | null {
  try {
    refuseRoundedInput(json, depth);
    return null;
  } catch (error) {
    return (error instanceof GantryError && error.fields?.[0]) || null;
  }
}

describe('a whole number is refused only when its digits would change', () => {
  test.each([
    '76561198012345679',
    '-76561198012345679',
    '123456789012345678',
    '9007199254740993',
    '9007199254740993.0',
    '9.007199254740993e15',
    '90071992547409930e-1',
    '9223372036854775807',
    '9223372036854775808',
    '12345678901234567890123',
    `1${'0'.repeat(400)}`,
    `1${'0'.repeat(30)}1e5`,
  ])('%s is', (number) => {
    expect(refusalOf(`{"a":${number}}`)).not.toBeNull();
  });

  test.each([
    '0',
    '-0',
    '9007199254740991',
    '9007199254740992',
    '-9007199254740994',
    '1e17',
    '1E+17',
    '100000000000000000',
    '1000000000000000000000000',
    '1e23',
    '1.5e300',
    '0.1',
    '0.30000000000000004',
    '0.1234567890123456789',
    '123456789.1234567890123456789',
    '9007199254740993.5',
    '1234567890123456789e-9',
    '0.0000000000000000000000',
  ])('%s is not', (number) => {
    expect(refusalOf(`{"a":${number}}`)).toBeNull();
    expect(refusalOf(`{"a":[${number}],"b":{"c": ${number} }}`)).toBeNull();
  });
});

test('the refusal names the field, the path in it, the number, and what it would become', () => {
  expect(refusalOf('{"state":{"items":[1,{"owner id":[2,76561198012345679]}]}}')).toEqual({
    path: 'state',
    message:
      '$.items[1]["owner id"][1] is 76561198012345679, which would be rounded to 76561198012345680: send it as a string, or as that number',
  });
  expect(refusalOf('["setState","launcher",{"a":[],"b":{},"c":76561198012345679}]', 1)).toEqual({
    path: 'c',
    message:
      'is 76561198012345679, which would be rounded to 76561198012345680: send it as a string, or as that number',
  });
  expect(() => refuseRoundedText('{"steamId":76561198012345679}', 'state')).toThrow(
    'state: $.steamId is 765',
  );
});

const big = fc
  .tuple(fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }), fc.constantFrom('', '.0', '.5', 'e3'))
  .map(([whole, end]) => `${whole}${end}`);
const scalar = fc.oneof(
  big,
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.integer().map(String),
  fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
  // Digits in strings, also where a number could begin, and JSON in strings.
  big.map((digits) => JSON.stringify(digits)),
  big.map((digits) => JSON.stringify(`\\" ,:[${digits}, "a":${digits}`)),
  fc.constantFrom('true', 'false', 'null', '[]', '{}', '"\\\\"'),
);
const space = fc.constantFrom('', ' ', '\n\t');
const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc.tuple(space, fc.array(tie('json'))).map(([gap, items]) => `[${items.join(`${gap},${gap}`)}]`),
    fc
      .tuple(space, fc.uniqueArray(fc.tuple(fc.string(), tie('json')), { selector: ([name]) => name }))
      .map(
        ([gap, fields]) =>
          `{${fields.map(([name, value]) => `${JSON.stringify(name)}${gap}:${gap}${value}`).join(',')}}`,
      ),
  ),
}));

test('the numbers refused are those whose value changes when they are read and written', () => {
  fc.assert(
    fc.property(json, (value) => {
      const text = `{"value":${value}}`;
      let isRounded = false;
      // The text of each number, as ECMAScript's reviver gets it.
      JSON.parse(text, (_, parsed: unknown, context?: { source?: string }) => {
        const source = context?.source ?? '';
        const [, whole = '', fraction = '', exponent = '0'] =
          /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(source) ?? [];
        if (typeof parsed !== 'number' || whole === '' || !/^0*$/.test(fraction) || Number(exponent) < 0)
          return parsed;
        const exact = BigInt(whole) * 10n ** BigInt(exponent);
        const written = String(Math.abs(parsed));
        const [digits = '', zeros = '0'] = written.split('e+');
        const [front = '', back = ''] = digits.split('.');
        const read = BigInt(front + back.padEnd(Number(zeros), '0'));
        if (exact !== read) isRounded = true;
        return parsed;
      });
      expect(refusalOf(text) !== null).toBe(isRounded);
    }),
    { numRuns: 3_000 },
  );
});
