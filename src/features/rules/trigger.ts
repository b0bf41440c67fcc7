import type { StateValue } from '../states/state-values.ts';
import type { Rule } from './rule.ts';
import type { TriggerValue } from './trigger-value.ts';

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
