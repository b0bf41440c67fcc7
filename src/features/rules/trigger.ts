import { z } from 'zod';
import { text } from '../../core/schemas/fields.ts';
import { grouped } from '../../core/schemas/grouped.ts';
import { notSeen } from '../../core/schemas/seen-text.ts';
import type { StateValue } from '../states/state-values.ts';
import type { Rule } from './rule.ts';

export type TriggerValue = number | string;

/** What the names of triggers that the server reports begin with; callers cannot report them. */
export const reservedTriggers = 'gantry.';
/** A player has become friends with another, in the game or launcher of the call. */
export const friendAddedTrigger = `${reservedTriggers}friend_added`;

/** Keeps value × ratio, and sums of it, finite. */
const maxMagnitude = Number.MAX_SAFE_INTEGER;
const withinBounds = `must be a number within ±${maxMagnitude}`;
/** Maximum length of a text, in code points. */
export const maxTextLength = 1_000;

/** A trigger's value on the dedicated path, where INTERFACE.md requires a whole number. */
export const integerValue = z
  .int('must be a whole number')
  .optional()
  .transform((value): TriggerValue | undefined => value);

/**
 * A trigger's value by method dispatch and on the socket, as basement.fun accepts it; an empty text counts as omitted.
 */
export const anyValue = notSeen(
  z
    .union(
      [z.number().min(-maxMagnitude, withinBounds).max(maxMagnitude, withinBounds), text(0, maxTextLength)],
      {
        error: `must be a number, or a text of at most ${grouped(maxTextLength)} characters`,
      },
    )
    .optional()
    .transform((value) => (value === '' ? undefined : value)),
  'elsewhere', // a rule may publish it, or the nonce: see `publishActivity`
);

/** The value as a number; undefined when there is none, or it is not a numeric text within ±`maxMagnitude`. */
export function numberOf(value: TriggerValue | undefined): number | undefined {
  if (typeof value !== 'string') return value;
  if (!/^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value)) return undefined;
  const number = Number(value);
  return Math.abs(number) <= maxMagnitude ? number : undefined;
}

export interface RuleSet {
  /** 0 when none were ever stored; incremented by each change. */
  version: number;
  rules: Rule[];
}

export interface TriggerInput {
  trigger: string;
  value?: TriggerValue | undefined;
  nonce?: string | undefined;
  /** For a prize: the finished season and the player's place. */
  finished?: FinishedSeason | undefined;
}

/** A finished season, and a player's place in it. */
export interface FinishedSeason {
  leaderboard: string;
  season: number;
  seasonId: string;
  place: number;
}

export interface TriggerAnswer {
  triggerUuid: string;
  /** The types of the actions that were executed or enqueued. */
  actions: string[];
}

/** Chain data read before a trigger runs: commands do not access chains. */
export interface ChainFacts {
  /** The signers' addresses by name; lowercase. */
  signers: Readonly<Record<string, string>>;
  /** The player's balances by `balanceKey`, as decimal texts; a missing one satisfies no condition. */
  balances: Readonly<Record<string, string>>;
  /** Why transactions wait for an operator; omitted: they do not. */
  heldReason?: string;
}

/** Values read from a player's states before a trigger runs: commands do not read states. */
export type StateFacts = readonly StateFact[];

export interface StateFact {
  label: string;
  /** Content id of the state that was read; null: there was none. */
  ipfsHash: string | null;
  /** By key. */
  values: readonly (readonly [key: string, value: StateValue])[];
}

/** What one action of a rule would do on a trigger. */
export interface Verdict {
  /** The index of its rule in the list, and its index in the rule. */
  rule: number;
  action: number;
  type: string;
  fires: boolean;
  /** Why it would not fire; null: it would. */
  why: string | null;
}
