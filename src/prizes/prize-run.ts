import { type Rule, rule } from '../rules/rule.ts';
import type { PrizeRunRow } from '../scores/prize-tables.ts';
import { labelBoardOf } from '../scores/stored-leaderboard.ts';

/** Who is next in a run, as it was read: the command sees to it that this is still so. */
export interface Winner {
  runId: string;
  gameId: string;
  wallet: string;
  place: number;
  /** Of the leaderboard's entry. */
  entry: string;
  scoreId: string;
  sortScore: number;
  reachedAt: number;
}

/** The rule of a run, as it was when the season ended. */
export function ruleOf(run: Pick<PrizeRunRow, 'rule'>): Rule {
  return rule.parse(JSON.parse(run.rule));
}

/** What the places of a run are counted on: the season, or those with a label in it. */
export function rankedUnder({ seasonId }: Pick<PrizeRunRow, 'seasonId'>, { seasonEnd }: Rule): string {
  return seasonEnd?.label === undefined ? seasonId : labelBoardOf(seasonId, seasonEnd.label);
}
