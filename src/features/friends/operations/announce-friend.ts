import { GantryError, reasons } from '../../../core/errors.ts';
import type { Game } from '../../games/game.ts';
import { readRules } from '../../rules/queries.ts';
import { type RuleServices, reportTrigger } from '../../rules/report-trigger.ts';
import { friendAddedTrigger } from '../../rules/trigger.ts';
import { areInGame } from '../queries.ts';

/**
 * Runs the rules of the game in which two players became friends, for each of the two who is in the game: once for a
 * pair, however often this is called, so that a call that is repeated after a failure completes.
 * @throws GantryError of a chain or database that cannot be reached; other errors of the rules change nothing
 */
export async function announceFriend(
  services: RuleServices,
  game: Game,
  pair: readonly [string, string],
): Promise<void> {
  const { rules } = await services.db.read(readRules, game.id);
  if (!rules.some(({ trigger }) => trigger === friendAddedTrigger)) return;
  for (const wallet of await services.db.read(areInGame, game.id, pair)) {
    const [other] = pair.filter((one) => one !== wallet);
    const input = { trigger: friendAddedTrigger, nonce: `${friendAddedTrigger} ${other}`, value: undefined };
    try {
      await reportTrigger(services, { gameId: game.id, wallet }, input);
    } catch (error) {
      if (!(error instanceof GantryError) || reasons[error.reason] >= 500) throw error;
    }
  }
}
