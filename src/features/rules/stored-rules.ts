import { LRUCache } from 'lru-cache';
import type { GameRow } from '../games/tables.ts';
import { type Rule, ruleList } from './rule.ts';
import type { RuleSet } from './trigger.ts';

/** Parsed rules by game, with their source text: comparing texts is much faster than parsing. */
const parsed = new LRUCache<string, { text: string; rules: Rule[] }>({ max: 1_000 });

/** A game's rules; none when the game does not exist. */
export function rulesOf(row: GameRow | undefined): RuleSet {
  if (!row) return { version: 0, rules: [] };
  let cached = parsed.get(row.id);
  if (cached?.text !== row.rules) {
    cached = { text: row.rules, rules: ruleList.parse(JSON.parse(row.rules)) };
    parsed.set(row.id, cached);
  }
  return { version: row.rulesVersion, rules: cached.rules };
}
