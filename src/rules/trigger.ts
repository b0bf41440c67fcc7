import type { StateValue } from '../states/state-values.ts';
import type { Rule } from './rule.ts';
import type { TriggerValue } from './trigger-value.ts';

export interface RuleSet {
  /** 0 when none were ever stored; one more with each change. */
  version: number;
  rules: Rule[];
}

export interface TriggerInput {
  trigger: string;
  value?: TriggerValue | undefined;
  nonce?: string | undefined;
  /** Of a prize: what the player has finished in. */
  finished?: FinishedSeason | undefined;
}

/** A season that is over, and the place of a player in it. */
export interface FinishedSeason {
  leaderboard: string;
  season: number;
  seasonId: string;
  place: number;
}

export interface TriggerAnswer {
  triggerUuid: string;
  /** The types of the actions that were carried out, or are in the queue. */
  actions: string[];
}

/** What is known of chains when a trigger arrives: commands ask none. */
export interface ChainFacts {
  /** The addresses of the signers there are, by name; lowercase. */
  signers: Readonly<Record<string, string>>;
  /** Balances of the player, by `balanceKey`, as decimal texts; one that is missing satisfies no condition. */
  balances: Readonly<Record<string, string>>;
  /** Why what is sent waits for an operator; left out: it does not. */
  held?: string;
}

/** What was found in a player's states before a trigger is carried out: commands read none. */
export type StateFacts = readonly JudgedState[];

export interface JudgedState {
  label: string;
  /** Of the state that was looked into; null: there was none. */
  ipfsHash: string | null;
  /** By key. */
  values: readonly (readonly [key: string, value: StateValue])[];
}

/** What one action of a rule would do on a trigger. */
export interface Verdict {
  /** Its rule's place in the list, and its place in the rule, from 0. */
  rule: number;
  action: number;
  type: string;
  fires: boolean;
  /** Why it would not fire; null: it would. */
  why: string | null;
}
