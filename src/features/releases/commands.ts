import { GantryError } from '../../core/errors.ts';
import { streamOf } from '../../core/events/stream.ts';
import { lockGame } from '../../core/events/stream-locks.ts';
import { command, type Steps } from '../../core/storage/command.ts';
import { games } from '../games/tables.ts';
import { spellingsOf } from '../games/version.ts';
import { releaseCreated } from './events.ts';
import { maxReleases, type NewRelease, type Release, toRelease } from './release.ts';
import { type ReleaseRow, releases } from './tables.ts';

/**
 * Adds a release, which becomes the game's current version.
 * @throws GantryError `game_unknown`, `release_version_taken`, `release_limit_reached`
 */
export const addRelease = command(
  'addRelease',
  function* (tx, gameId: string, { version, notes, url, required }: NewRelease): Steps<Release> {
    const [, game, count, last, ...equal] = yield* tx.all(
      lockGame(tx, gameId),
      tx.get(games, gameId),
      tx.count(releases.byPublication, [gameId], maxReleases),
      tx.max(releases.byPublication, [gameId]),
      ...[...spellingsOf(version)].map((one) => tx.get(releases, gameId, one)),
    );
    const same = equal.find((row) => row !== undefined);
    if (!game) throw new GantryError('game_unknown', 'There is no game with this id or slug');
    if (same) {
      throw new GantryError(
        'release_version_taken',
        `The game has a release ${same.version} already: choose another version, or remove that one first`,
      );
    }
    if (count >= maxReleases) {
      throw new GantryError(
        'release_limit_reached',
        `A game can have ${maxReleases} releases; remove old ones first`,
      );
    }
    const publishedAt = Math.max(tx.now, last + 1);
    const row: ReleaseRow = { gameId, version, notes, url, required: Number(required), publishedAt };
    tx.insert(releases, row);
    const { notes: _, ...announcement } = toRelease(row);
    tx.emit(streamOf.game(gameId), releaseCreated, announcement, { kind: 'game', gameId });
    return toRelease(row);
  },
);

/**
 * Removes a release; without the latest, the one before it is the game's current version again.
 * @throws GantryError `release_unknown`
 */
export const deleteRelease = command(
  'deleteRelease',
  function* (tx, gameId: string, version: string): Steps<void> {
    const [, row] = yield* tx.all(lockGame(tx, gameId), tx.get(releases, gameId, version));
    if (!row) throw new GantryError('release_unknown', 'The game has no release with this version');
    tx.remove(releases, row);
  },
);
