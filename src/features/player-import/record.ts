import { z } from 'zod';
import { text, walletInput } from '../../core/schemas/fields.ts';
import { cron } from '../../core/schemas/schedule.ts';
import { entryRule, keepRule, leaderboardRules, metadataInput } from '../scores/leaderboard.ts';
import { stateLabel } from '../states/state.ts';

const isoTime =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(\.\d+)?)? ?(?:(Z|UTC)|([+-]\d\d)(?::?(\d\d))?)?$/;

/**
 * A point in time: Unix milliseconds, or a date and time as in ISO 8601 or printed by PostgreSQL, with the offset of its
 * time zone; without one it is UTC.
 */
const time = z.union([z.int(), z.string()]).transform((value, context) => {
  const at = typeof value === 'number' ? value : millisecondsOf(value);
  if (Number.isFinite(at) && at >= 0) return at;
  context.issues.push({
    code: 'custom',
    message: 'must be a date and time, or Unix milliseconds',
    input: value,
  });
  return z.NEVER;
});

/** Unix milliseconds; NaN for anything else. */
export function millisecondsOf(value: string): number {
  if (/^\d+$/.test(value)) return Number(value);
  const [, date, clock = '00:00:00', fraction = '', , hours, minutes = '00'] = isoTime.exec(value) ?? [];
  if (date === undefined) return Number.NaN;
  const seconds = clock.length === 5 ? `${clock}:00` : clock;
  return Date.parse(`${date}T${seconds}${fraction.slice(0, 4)}${hours ? `${hours}:${minutes}` : 'Z'}`);
}

const decimal = /^-?\d{1,310}(\.\d+)?([eE][+-]?\d{1,3})?$/;

/** A number, or its text; a whole number that a double cannot hold is refused instead of rounded. */
const score = z.union([z.number(), z.string()]).transform((value, context) => {
  const number = typeof value === 'string' && !decimal.test(value) ? Number.NaN : Number(value);
  const isRounded =
    typeof value === 'string' &&
    /^-?\d+$/.test(value) &&
    BigInt(value) !== BigInt(Number.isFinite(number) ? number : 0);
  if (Number.isFinite(number) && !isRounded) return number;
  const message = isRounded ? `is ${value}, which would be rounded to ${number}` : 'must be a number';
  context.issues.push({ code: 'custom', message, input: value });
  return z.NEVER;
});

const id = text(1, 200);
const playerId = text(1, 180).meta({ description: 'The id of the player in the other system' });

/** What an import consists of, one record each, whatever system it comes from. */
export const importedRecord = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('player'),
    id: playerId,
    name: z.string().optional(),
    /** The wallet whose player it becomes; without one: a guest. */
    wallet: walletInput.optional(),
    createdAt: time.optional(),
    /** What the player signs in with there, by service. */
    logins: z.record(z.string(), z.string()).optional(),
  }),
  z.strictObject({
    type: z.literal('leaderboard'),
    name: text(1, 200),
    order: leaderboardRules.order.default('desc'),
    keep: keepRule.default('best'),
    entries: entryRule.default('player'),
    cron: cron.optional(),
  }),
  z.strictObject({
    type: z.literal('score'),
    player: playerId,
    /** Tells several scores of a player on a leaderboard apart. */
    id: text(0, 150).default(''),
    leaderboard: text(1, 200).default('default'),
    score,
    at: time.optional(),
    metadata: metadataInput,
  }),
  z.strictObject({
    type: z.literal('state'),
    player: playerId,
    label: stateLabel,
    /** Its JSON. */
    state: z.string(),
    at: time.optional(),
    public: z.boolean().optional(),
  }),
  /** Adds to the player's `logins`. */
  z.strictObject({
    type: z.literal('login'),
    player: playerId,
    service: z.string(),
    identifier: z.string(),
    /** Whether it is also the player's name. */
    isName: z.boolean().default(false),
  }),
  z.strictObject({ type: z.literal('friend'), player: playerId, friend: id }),
  z.strictObject({ type: z.literal('block'), player: playerId, blocked: id }),
]);
export type ImportedRecord = z.infer<typeof importedRecord>;
export type ImportedOf<Type extends ImportedRecord['type']> = Extract<ImportedRecord, { type: Type }>;
