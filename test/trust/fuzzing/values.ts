import fc from 'fast-check';
import type { z } from 'zod';

type Schema = z.core.JSONSchema.JSONSchema;

/** A placeholder for a number that JSON can write and a double cannot hold; see `toText`. */
const beyondDouble = '@beyond-double@';
/** A placeholder for the token of an authorized player; see `toText`. */
export const tokenOfPlayer = '@token@';

/** Keys that are dangerous on plain objects. */
const prototypeKeys = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'toJSON',
  'then',
  'length',
  '__defineGetter__',
];

const nastyTexts = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'a\udfffb',
  '\u{1F3C1}'.repeat(50),
  '\u202e\u2066\u200b\ufeff\u2028\u2029',
  'e\u0301\u0301\u0301',
  'İıŞß',
  '\r\n\t\x1b[2J',
  `'; DROP TABLE scores; --`,
  '%00%ff%zz',
  '../../../../etc/passwd',
  '{username}{wallet}{__proto__}{constructor}',
  '{"a":',
  'null',
  '[[[[[[',
  '0x',
  `0x${'0'.repeat(40)}`,
  `0x${'F'.repeat(40)}`,
  `0x${'f'.repeat(39)}`,
  '00000000-0000-0000-0000-000000000000',
  'https://a.example/\u{1F3C1}?__proto__[a]=1#',
  'javascript:alert(1)',
  '1e309',
  '-1',
  ...prototypeKeys,
];

/** Numbers at the limits of integers, doubles and times. */
const edgeNumbers = [
  0,
  -0,
  1,
  -1,
  0.1,
  0.0005,
  1e-7,
  5e-324,
  250,
  251,
  255,
  256,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32,
  2 ** 53 - 1,
  2 ** 53,
  -(2 ** 53),
  2 ** 63,
  -(2 ** 63),
  8.64e15,
  8.64e15 + 1,
  1e21,
  Number.MAX_VALUE,
  -Number.MAX_VALUE,
];

const number = fc.oneof(
  fc.constantFrom<unknown>(...edgeNumbers, beyondDouble),
  fc.double({ noNaN: true }),
  fc.integer(),
);

const text = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...nastyTexts) },
  { weight: 3, arbitrary: fc.string({ unit: 'grapheme', maxLength: 60 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
);

/** A text of about the given length, in characters of one to four bytes. */
const textOfLength = (length: number) =>
  fc.constantFrom('a', 'ü', '€', '\u{1F3C1}').map((unit) => unit.repeat(length));

/** An object whose own keys are those every object inherits, or that would change its prototype. */
const prototypeObject = fc
  .record({ key: fc.constantFrom(...prototypeKeys), nested: fc.boolean() })
  .map(({ key, nested }) => {
    const polluted = { polluted: true, launcherJwt: tokenOfPlayer, limit: 1, gameId: 'polluted' };
    return withOwn({}, key, nested ? withOwn({}, 'prototype', polluted) : polluted);
  });

/** Nested to about the accepted depth, or much deeper. */
const deep = fc
  .record({ depth: fc.constantFrom(30, 31, 32, 33, 100, 1_000, 5_000), inArrays: fc.boolean() })
  .map(({ depth, inArrays }) => {
    let value: unknown = 1;
    for (let level = 0; level < depth; level++) value = inArrays ? [value] : { a: value };
    return value;
  });

/** Anything but the expected type. */
export const anything: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 5, arbitrary: text },
  { weight: 4, arbitrary: number },
  {
    weight: 3,
    arbitrary: fc.constantFrom<unknown>(null, true, false, [], {}, [null], [[]], [{}], { $gt: '' }),
  },
  { weight: 3, arbitrary: prototypeObject },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
  { weight: 1, arbitrary: deep },
  {
    weight: 1,
    arbitrary: fc.constantFrom(300, 5_000, 100_000).map((length) => Array.from({ length }, () => 0)),
  },
  { weight: 1, arbitrary: fc.constantFrom(5_000, 100_000, 1_048_577).chain(textOfLength) },
);

/** A value roughly matching the schema, at its limits, with something else in it occasionally. */
export function like(schema: Schema, root: Schema = schema): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 7, arbitrary: wanted(schema, root) }, { weight: 1, arbitrary: anything });
}

function wanted(schema: Schema, root: Schema): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) return wanted(referenced(schema.$ref, root), root);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom<unknown>(...schema.enum, `${schema.enum[0]} `, '');
  const choices = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].filter(isSchema);
  if (choices.length > 0) return fc.oneof(...choices.map((choice) => wanted(choice, root)));
  switch (schema.type) {
    case 'string':
      return textLike(schema);
    case 'integer':
    case 'number':
      return numberLike(schema);
    case 'boolean':
      return fc.boolean();
    case 'array':
      return arrayLike(schema, root);
    case 'object':
      return objectLike(schema, root);
    default:
      return anything;
  }
}

function textLike({ minLength = 0, maxLength, pattern, format }: Schema): fc.Arbitrary<unknown> {
  const most = Math.min(maxLength ?? 1_000, 20_000);
  const lengths = [minLength - 1, minLength, most, most + 1].filter((length) => length >= 0);
  const formatted = [
    ...(pattern?.includes('{40}') ? [fc.constantFrom(`0x${'ab'.repeat(20)}`, `0X${'AB'.repeat(20)}`)] : []),
    ...(format === 'uuid' ? [fc.uuid()] : []),
    ...(format === 'uri' ? [fc.webUrl({ withQueryParameters: true }), fc.constant('http://a')] : []),
  ];
  const edges = fc.oneof(text, fc.constantFrom(...lengths).chain(textOfLength), fc.json());
  return formatted.length > 0 ? fc.oneof(...formatted, edges) : edges;
}

function numberLike({ minimum, maximum }: Schema): fc.Arbitrary<unknown> {
  const bounds = [minimum, maximum].filter((bound) => typeof bound === 'number');
  const edges = bounds.flatMap((bound) => [bound - 1, bound, bound + 1]);
  return fc.oneof(
    fc.integer({ min: 0, max: 1_000 }),
    number,
    ...(edges.length > 0 ? [fc.constantFrom(...edges)] : []),
  );
}

function arrayLike({ items, minItems = 0, maxItems = 1_000 }: Schema, root: Schema): fc.Arbitrary<unknown> {
  const item = isSchema(items) ? like(items, root) : anything;
  const sized = (length: number) =>
    item.map((value) => Array.from({ length }, () => (isSmall(value) ? value : 'large')));
  const edges = [...new Set([Math.max(0, minItems - 1), minItems, maxItems, maxItems + 1])];
  return fc.oneof(
    { weight: 6, arbitrary: fc.array(item, { maxLength: 4 }) },
    { weight: 1, arbitrary: fc.constantFrom(...edges).chain(sized) },
  );
}

/** Small enough to be repeated a thousand times. */
function isSmall(value: unknown): boolean {
  return JSON.stringify(value).length < 500;
}

function objectLike({ properties = {}, required = [] }: Schema, root: Schema): fc.Arbitrary<unknown> {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const value = isSchema(schema) ? like(schema, root) : anything;
    const presence = required.includes(name) ? 30 : 2;
    return fc.option(value, { freq: presence, nil: absent }).map((given) => ({ name, given }));
  });
  return fc.record({ fields: fc.tuple(...fields), extra: extraFields }).map(({ fields: all, extra }) => {
    const object = {};
    for (const { name, given } of all) if (given !== absent) withOwn(object, name, given);
    for (const [name, value] of extra) withOwn(object, name, value);
    return object;
  });
}

/** Unexpected fields: mostly none. */
export const extraFields: fc.Arbitrary<[string, unknown][]> = fc.oneof(
  { weight: 5, arbitrary: fc.constant<[string, unknown][]>([]) },
  {
    weight: 1,
    arbitrary: fc.array(fc.tuple(fc.oneof(fc.constantFrom(...prototypeKeys), text), anything), {
      maxLength: 3,
    }),
  },
);

/** An omitted field. */
export const absent = Symbol('absent');

function referenced(reference: string, root: Schema): Schema {
  const found = root.$defs?.[reference.replace('#/$defs/', '')];
  if (!isSchema(found)) throw new Error(`${reference} is not in the schema`);
  return found;
}

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Defines an own property, whatever its name: assigning `__proto__` would do something else. */
export function withOwn<Target extends object>(target: Target, name: string, value: unknown): Target {
  return Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}

/** The JSON text of a value, with placeholders replaced. */
export function toText(value: unknown, token: string): string {
  const json = JSON.stringify(value) ?? '';
  return json.replaceAll(`"${beyondDouble}"`, '1e999').replaceAll(tokenOfPlayer, token);
}
