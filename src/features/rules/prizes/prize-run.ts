import type { PrizeRunRow } from '../../scores/prize-tables.ts';
import { labelBoardOf } from '../../scores/stored-leaderboard.ts';
import { type Rule, rule } from '../rule.ts';

/** The next player of a run, as read; commands verify that this still holds. */
export interface Winner {
  runId: string;
  gameId: string;
  wallet: string;
  place: number;
  /** The leaderboard entry. */
  entry: string;
  scoreId: string;
  sortScore: number;
  reachedAt: number;
}

/** The rule of a run, as it was when the season ended. */
export function ruleOf(run: Pick<PrizeRunRow, 'rule'>): Rule {
  return rule.parse(JSON.parse(run.rule));
}

/** The board that a run's places are counted on: the season's, or that of a label in it. */
export function rankedUnder({ seasonId }: Pick<PrizeRunRow, 'seasonId'>, { seasonEnd }: Rule): string {
  return seasonEnd?.label === undefined ? seasonId : labelBoardOf(seasonId, seasonEnd.label);
}
