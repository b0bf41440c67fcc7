import { GantryError } from '../../core/errors.ts';
import type { Game } from './game.ts';
import { compareVersions, sentVersion } from './version.ts';

/** What the calls on a launcher's connection have in place of a version: a launcher is no build of a game. */
export const ofLauncher = Symbol('of a launcher');

/**
 * Applies the game's policy `minVersion` to the version that a call was sent with. Launchers are not versions of a game.
 * @throws GantryError `update_required`
 */
export function refuseOldVersion({ name, kind, policies }: Game, sent: unknown): void {
  const least = policies.minVersion;
  if (!least || kind === 'launcher' || sent === ofLauncher) return;
  const version = sentVersion(sent);
  if (version !== null && compareVersions(version, least.version) >= 0) return;
  const found =
    version === null
      ? 'this call does not say its version (X-Game-Version, or auth.gameVersion of a socket)'
      : `this is ${version}`;
  const where = least.url === '' ? '' : `; get it at ${least.url}`;
  throw new GantryError(
    'update_required',
    `${name} requires version ${least.version} or newer, and ${found}${where}`,
    { update: least },
  );
}
