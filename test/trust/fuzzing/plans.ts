import fc from 'fast-check';
import { z } from 'zod';
import type { AnyOperation } from '../../../src/features/operation.ts';
import { operations } from '../../../src/server/declarations/operations.ts';
import { absent, anything, extraFields, isSchema, like, tokenOfPlayer, withOwn } from './values.ts';

/** The transport of a call. */
export const ways = ['dedicated', 'dispatch', 'query', 'socket', 'find'] as const;
export type Way = (typeof ways)[number];

/** How a body's text is mutated. Positions are fractions of its length. */
export type TextChange =
  | { kind: 'cut'; at: number }
  | { kind: 'delete'; at: number }
  | { kind: 'insert'; at: number; bytes: readonly number[] }
  | { kind: 'replace'; text: string }
  | { kind: 'surround'; before: string; after: string };

/** A mutated call of an operation; what depends on a world is filled in when it is sent. */
export interface Plan {
  operation: AnyOperation;
  way: Way;
  /** Changes to a valid input by field; `absent` removes a field. */
  changes: readonly (readonly [field: string, value: unknown])[];
  /** The game's server calls: with the secret, and another player's wallet instead of the token. */
  asServer: boolean;
  /** Replaces the token; `absent`: none. */
  token: readonly [value: unknown] | null;
  extra: readonly (readonly [field: string, value: unknown])[];
  /** Replaces the whole input. */
  whole: readonly [value: unknown] | null;
  textChange: TextChange | null;
  headers: Readonly<Record<string, string>>;
  /** Another method than the operation's, another service than its own. */
  method: unknown;
  service: unknown;
  /** Over the socket: whether an acknowledgement is requested, and which arguments are added. */
  hasAck: boolean;
  moreArguments: readonly unknown[];
  /** Over the socket: a separate handshake's data; null: the call uses an open socket. */
  handshake: Readonly<Record<string, unknown>> | null;
}

const position = fc.double({ min: 0, max: 1, noNaN: true });

const textChange: fc.Arbitrary<TextChange> = fc.oneof(
  fc.record({ kind: fc.constant('cut' as const), at: position }),
  fc.record({ kind: fc.constant('delete' as const), at: position }),
  fc.record({
    kind: fc.constant('insert' as const),
    at: position,
    bytes: fc.oneof(
      fc.constantFrom(
        [0],
        [0xff],
        [0xc0, 0xaf],
        [0xed, 0xa0, 0x80],
        [0xef, 0xbb, 0xbf],
        [0x7b],
        [0x5d],
        [0x22],
      ),
      fc.array(fc.nat(255), { minLength: 1, maxLength: 8 }),
    ),
  }),
  fc.record({
    kind: fc.constant('replace' as const),
    text: fc.constantFrom(
      '',
      ' ',
      'null',
      '[]',
      '"text"',
      '7',
      'true',
      '[[]]',
      '{}{}',
      '{"a":1,}',
      '{a:1}',
      '-',
      '1e999',
      '/* */{}',
    ),
  }),
  fc.record({
    kind: fc.constant('surround' as const),
    before: fc.constantFrom('\ufeff', ' '.repeat(1_000), '[', '{"score":1,"score":2,"a":', '\n\n'),
    after: fc.constantFrom('', ']', '}', '\0', ' '.repeat(2_200_000), 'trailing'),
  }),
);

/** Anything Node's client can send as a header's value. */
const headerValue = fc.oneof(
  fc.constantFrom(
    '',
    'Bearer',
    'Bearer ',
    'Bearer gsk_x',
    'Basic YTpi',
    '0',
    '-1',
    'sha256=',
    `sha256=${'0'.repeat(64)}`,
    'null',
    'x'.repeat(6_000),
  ),
  fc.string({
    unit: fc
      .integer({ min: 0x20, max: 0xff })
      .filter((code) => code !== 0x7f)
      .map((code) => String.fromCharCode(code)),
    maxLength: 40,
  }),
);
const headerName = fc.constantFrom(
  'Authorization',
  'X-Request-Nonce',
  'X-Request-Signature',
  'X-Request-Timestamp',
  'X-Launcher-Jwt',
  'Idempotency-Key',
  'X-Forwarded-For',
  'Origin',
  'Cookie',
  'Accept',
  'Content-Type',
  'Content-Encoding',
);
const headers = fc
  .array(fc.tuple(headerName, headerValue), { maxLength: 3 })
  .map((pairs) => Object.fromEntries(pairs));

/** Mostly the first, occasionally the second. */
const rarely = <Value, Other>(usual: Value, other: fc.Arbitrary<Other>, weight = 12) =>
  fc.oneof({ weight, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: other });

const names = fc.oneof(
  fc.constantFrom<unknown>(
    '__proto__',
    'constructor',
    'toString',
    'disconnect',
    'error',
    'find',
    'get',
    '',
    'setUserScore ',
    'listGames',
  ),
  anything,
);

/** Names in the form of streams, and others. */
const streamName = fc.oneof(
  fc.constantFrom('game:', 'game:none', 'player:', 'player::', 'channel:none', '__proto__', 'x'.repeat(201)),
  fc.uuid().map((id) => `game:${id}`),
  fc.uuid().map((id) => `channel:${id}`),
  fc.string({ maxLength: 20 }),
);
const cursor = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ epoch: fc.string({ maxLength: 70 }), seq: fc.oneof(fc.nat(), fc.double()) }),
  },
  { weight: 1, arbitrary: anything },
);
const cursors = fc
  .oneof(
    { weight: 5, arbitrary: fc.array(fc.tuple(streamName, cursor), { maxLength: 5 }) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(100, 3_000)
        .map((length) =>
          Array.from({ length }, (_, at): [string, unknown] => [`game:${at}`, { epoch: 'e', seq: at }]),
        ),
    },
  )
  .map((pairs) => pairs.reduce((map, [name, value]) => withOwn(map, name, value), {}));
const handshake = fc
  .record({
    launcherJwt: fc.oneof(fc.constant(tokenOfPlayer), fc.constant(absent), anything),
    cursors: fc.oneof(fc.constant(absent), cursors, anything),
    extra: extraFields,
  })
  .map(({ extra, ...fields }) =>
    [...Object.entries(fields), ...extra]
      .filter(([, value]) => value !== absent)
      .reduce<Record<string, unknown>>((auth, [name, value]) => withOwn(auth, name, value), {}),
  );

/** Content types: browsers send JSON as text/plain. */
const contentTypes = fc.constantFrom(
  {},
  { 'Content-Type': 'text/plain;charset=UTF-8' },
  { 'Content-Type': 'application/json' },
  { 'Content-Type': 'application/x-www-form-urlencoded' },
);

function planOf(operation: AnyOperation): fc.Arbitrary<Plan> {
  const schema = z.toJSONSchema(operation.input, { io: 'input', unrepresentable: 'any' });
  const fields = Object.entries(schema.properties ?? {});
  const changeOf = ([name, field]: readonly [string, unknown]) =>
    fc
      .oneof(
        { weight: 5, arbitrary: isSchema(field) ? like(field, schema) : anything },
        { weight: 2, arbitrary: anything },
        { weight: 1, arbitrary: fc.constant(absent) },
      )
      .map((value) => [name, value] as const);
  return fc.record({
    operation: fc.constant(operation),
    way: fc.constantFrom(...waysOf(operation)),
    changes: fc
      .subarray(fields, { maxLength: Math.min(3, fields.length) })
      .chain((some) => fc.tuple(...some.map(changeOf))),
    asServer: operation.service === 'admin' ? fc.constant(false) : rarely(false, fc.constant(true), 3),
    token: rarely(null, fc.tuple(fc.oneof(fc.constant(absent), anything)), 9),
    extra: extraFields,
    whole: rarely(null, fc.tuple(fc.oneof(like(schema), anything)), 9),
    textChange: rarely(null, textChange, 9),
    headers: fc.tuple(contentTypes, rarely({}, headers, 3)).map(([type, others]) => ({ ...type, ...others })),
    method: rarely(operation.name, names, 30),
    service: rarely(operation.service, names, 30),
    hasAck: rarely(true, fc.constant(false)),
    moreArguments: rarely<readonly unknown[], unknown[]>([], fc.array(anything, { maxLength: 3 })),
    handshake: rarely(null, handshake, 4),
  });
}

function waysOf({ service, kind, getPath }: AnyOperation): readonly Way[] {
  if (service === 'admin')
    return [...Array.from({ length: 8 }, () => 'dedicated' as const), 'dispatch', 'socket'];
  return ways.filter((way) => (way === 'query' ? kind === 'read' : way !== 'find' || getPath !== undefined));
}

/** Mutated calls of every operation, over every transport. */
export const plan: fc.Arbitrary<Plan> = fc.oneof(...operations.map(planOf));
