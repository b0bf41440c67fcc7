import { z } from 'zod';
import { GantryError } from '../errors.ts';

/**
 * How a session was opened:
 * - `wallet`: by a wallet's signature, also that of a guest's upgrade
 * - `device`: with the secret of a guest's device
 * - `launcher`: by the player's launcher, with the token of its own session
 * - `game-server`: by the game's server, for any player
 * - `vouching`: by the game's server, for a player whom it vouches for
 * - `administrator`: by an administrator or the command line
 * - `unknown`: before this was recorded
 */
export const openedBy = z.enum([
  'wallet',
  'device',
  'launcher',
  'game-server',
  'vouching',
  'administrator',
  'unknown',
]);
export type OpenedBy = z.infer<typeof openedBy>;

/** Other than by the game's server, which can open a session of a player who has never opened the game. */
export const openedByPlayer = openedBy.exclude(['game-server']).options;

/**
 * Refuses sessions that were not opened in one of these ways. What manages the player rather than the player's data in
 * one game requires this: games, their servers and launchers open sessions of any player.
 * @throws GantryError `sign_in_required`
 */
export function requireOpenedBy(
  session: { openedBy: OpenedBy },
  allowed: readonly OpenedBy[],
  how: string,
): void {
  if (allowed.includes(session.openedBy)) return;
  throw new GantryError(
    'sign_in_required',
    `This operation manages the player, and this session was opened ${ways[session.openedBy]}: ${how}`,
  );
}

const ways: Record<OpenedBy, string> = {
  wallet: "with a wallet's signature",
  device: "with a device's secret",
  launcher: 'by a launcher',
  'game-server': "by the game's server",
  vouching: "by the game's server",
  administrator: 'by an administrator',
  unknown: 'by an earlier version of Gantry',
};
