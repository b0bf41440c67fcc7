import { z } from 'zod';
import type { Reason } from '../../core/errors.ts';
import { addressInput, text } from '../../core/schemas/fields.ts';
import { grouped } from '../../core/schemas/grouped.ts';
import { holdsInfinity } from '../../core/schemas/json-value.ts';
import { notSeen } from '../../core/schemas/seen-text.ts';
import { compareVersions, gameVersion } from '../games/version.ts';

export const maxKeys = 500;
/** Maximum length of a whole config as JSON, in bytes. */
export const maxConfigBytes = 64 * 1024;
const maxRules = 20;
const maxWallets = 100;

/** `__proto__` would be no key of an object to JavaScript clients that assign it. */
export const configKey = notSeen(
  z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,100}$/, 'must be 1 to 100 letters, digits, dots, hyphens or underscores')
    .refine((key) => key !== '__proto__', 'must not be __proto__'),
  'id',
);

/** What a game says of its build, such as its platform or release channel. */
export const buildLabel = notSeen(text(1, 50), 'choice');

const configValue = notSeen(
  z
    .unknown()
    .refine((value) => !holdsInfinity(value), {
      error: 'has a number that is too large, such as 1e999: send it as a string',
      params: { reason: 'number_not_exact' satisfies Reason },
    })
    .meta({ description: 'Any JSON value' }),
  'data',
);

const versionRange = z
  .strictObject({
    from: gameVersion.optional().meta({ description: 'This version or newer' }),
    below: gameVersion.optional().meta({ description: 'Older than this version' }),
  })
  .refine(({ from, below }) => from !== undefined || below !== undefined, 'must have from, below or both');

/** A value for some players. All of the given conditions must hold; the first rule whose conditions hold applies. */
const configRule = z
  .strictObject({
    percent: z.number().min(0).max(100).optional().meta({
      description: 'Percentage of all players; a player who is in it stays in it when it is raised',
    }),
    label: buildLabel.optional().meta({ description: 'Games that read with this label' }),
    version: versionRange.optional().meta({ description: 'Games of these versions' }),
    wallets: z.array(addressInput).min(1).max(maxWallets).optional().meta({ description: 'These players' }),
    value: configValue,
  })
  .refine(
    ({ percent, label, version, wallets }) =>
      [percent, label, version, wallets].some((one) => one !== undefined),
    'must have a condition: percent, label, version or wallets',
  )
  .refine(({ value }) => value !== undefined, { path: ['value'], error: 'is required' });
export type ConfigRule = z.infer<typeof configRule>;

const configRules = z
  .array(configRule)
  .max(maxRules)
  .meta({ description: 'Values for some players: the first rule whose conditions all hold applies' });

/** A key with its value, as it is stored. */
const configEntry = z.strictObject({
  key: configKey,
  value: configValue.meta({ description: 'The value where no rule applies' }),
  public: z.boolean().meta({ description: 'Whether players may read it; otherwise only the game server' }),
  rules: configRules,
});
export type ConfigEntry = z.infer<typeof configEntry>;

/** All keys of a game, in alphabetical order. */
export const configEntries = z.array(configEntry).max(maxKeys);

/** A change of one key. */
const configChange = z
  .strictObject({
    key: configKey,
    value: configValue.optional().meta({ description: 'Omitted: unchanged; a new key needs one' }),
    public: z.boolean().optional().meta({ description: 'Omitted: unchanged; a new key is public' }),
    rules: configRules.optional().meta({
      description:
        'Values for some players, the first rule that holds; replaced as a whole; omitted: unchanged',
    }),
    removed: z.literal(true).optional().meta({ description: 'Removes the key' }),
  })
  .refine(
    ({ removed, value, rules, public: isPublic }) =>
      removed !== true || [value, rules, isPublic].every((one) => one === undefined),
    'has removed, and so must have nothing else but the key',
  );
export type ConfigChange = z.infer<typeof configChange>;

export const configChanges = z
  .array(configChange)
  .min(1)
  .max(maxKeys)
  .refine(
    (changes) => new Set(changes.map(({ key }) => key)).size === changes.length,
    'must have each key only once',
  );

export const sizeText = `at most ${maxKeys} keys and ${grouped(maxConfigBytes)} bytes of JSON`;

/** Whether a version is in a range; null: it is not known. */
export function isInRange({ from, below }: z.infer<typeof versionRange>, version: string | null): boolean {
  if (version === null) return false;
  return (
    (from === undefined || compareVersions(version, from) >= 0) &&
    (below === undefined || compareVersions(version, below) < 0)
  );
}
