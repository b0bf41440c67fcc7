import { LRUCache } from 'lru-cache';
import type { GameRow } from '../games/tables.ts';
import { type Rule, ruleList } from './rule.ts';
import type { RuleSet } from './trigger.ts';

/** Parsed rules by game, with the text they were parsed from: that is compared, and parsing it takes long. */
const parsed = new LRUCache<string, { text: string; rules: Rule[] }>({ max: 1_000 });

/** A game's rules; none of a game that is not there. */
export function rulesOf(row: GameRow | undefined): RuleSet {
  if (!row) return { version: 0, rules: [] };
  let known = parsed.get(row.id);
  if (known?.text !== row.rules) {
    known = { text: row.rules, rules: ruleList.parse(JSON.parse(row.rules)) };
    parsed.set(row.id, known);
  }
  return { version: row.rulesVersion, rules: known.rules };
}
