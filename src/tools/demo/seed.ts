import { GantryError } from '../../core/errors.ts';
import type { Store } from '../../core/storage/store.ts';
import { recordActivity } from '../../features/activities/commands.ts';
import { changeGame } from '../../features/administration/commands.ts';
import { addFriend } from '../../features/friends/commands.ts';
import { registerGame } from '../../features/games/commands.ts';
import type { Game, NewGame } from '../../features/games/game.ts';
import type { GameDetailChanges } from '../../features/games/game-details.ts';
import { newGameSecret, type SecretBox } from '../../features/games/game-secret.ts';
import { findGameBySlug } from '../../features/games/queries.ts';
import { createChannel } from '../../features/messages/channel-commands.ts';
import { sendMessage } from '../../features/messages/message-commands.ts';
import { addNews } from '../../features/news/commands.ts';
import { setProfile } from '../../features/players/commands.ts';
import { addRelease } from '../../features/releases/commands.ts';
import { replaceRules } from '../../features/rules/commands.ts';
import { readRules } from '../../features/rules/queries.ts';
import { ruleList } from '../../features/rules/rule.ts';
import { setScore } from '../../features/scores/commands.ts';
import { addLeaderboard } from '../../features/scores/leaderboard-commands.ts';
import { findLeaderboard } from '../../features/scores/leaderboard-queries.ts';
import { setLeaderboardScore } from '../../features/scores/leaderboard-score-commands.ts';
import {
  demoDetails,
  demoLeaderboard,
  demoNews,
  demoPage,
  demoPlayers,
  demoRelease,
  demoSlug,
  launcherSlug,
} from './demo-data.ts';

/**
 * Adds a launcher and a demo game with sample data to an empty data directory. The rules are written
 * last: a demo game that has rules is complete and stays unchanged; without them, seeding was interrupted and runs
 * again, at worst duplicating an activity or the news item.
 */
export async function seedDemo(db: Store, box: SecretBox): Promise<void> {
  const existing = await db.read(findGameBySlug, demoSlug);
  if (existing && (await isSeededOrInProgress(db, existing))) {
    // Created by a version in which the demo game had no page.
    if (existing.url === '') await db.write(changeGame, existing.id, { url: demoPage });
    // Or by one in which it had no leaderboard.
    await ensureLeaderboard(db, existing.id);
    return;
  }
  await createOnce(db, box, { name: 'Gantry Launcher', slug: launcherSlug, kind: 'launcher' });
  const game =
    existing ??
    (await createOnce(db, box, { ...demoDetails, name: 'Demo Game', slug: demoSlug, url: demoPage }));
  if (!game) return; // another process, started at the same time, is seeding
  await ensureLeaderboard(db, game.id);
  await db.write(addRelease, game.id, demoRelease).catch(unlessRefused('release_version_taken'));
  await db.write(addNews, game.id, demoNews);
  const owners = demoPlayers.map(({ wallet }) => ({ gameId: game.id, wallet }));
  for (const [index, { wallet, username, score, containers }] of demoPlayers.entries()) {
    const owner = { gameId: game.id, wallet };
    await db.write(setProfile, wallet, { username });
    await db.write(setScore, owner, score, 'demo');
    const details = { nonce: 'demo', metadata: { containers } };
    await db.write(setLeaderboardScore, owner, demoLeaderboard.name, score, details);
    await db.write(recordActivity, owner, {
      label: `{username} reached level ${index + 2}`,
      eventId: 'level-up',
    });
  }
  const [ada, grace, linus, margaret] = owners;
  if (ada && grace && linus && margaret) {
    const request = { hasCode: false, message: '', gameId: game.id };
    for (const { wallet } of [grace, margaret]) {
      // Each asks the other, which makes them friends.
      await db.write(addFriend, ada.wallet, { ...request, wallet });
      await db.write(addFriend, wallet, { ...request, wallet: ada.wallet });
    }
    const message = 'We stacked side by side last week.';
    await db.write(addFriend, linus.wallet, { ...request, wallet: ada.wallet, message });
    const channel = await db.write(createChannel, ada, [grace.wallet]);
    await db.write(sendMessage, ada, channel._id, 'Did you see the leaderboard?');
    await db.write(sendMessage, grace, channel._id, 'Not for long. One more round?');
  }
  const rules = [
    {
      trigger: 'win',
      actions: [
        { type: 'Notify', message: 'You won, {username}! Your score: {value}', notificationType: 'success' },
        { type: 'SendCustomActivity', label: '{username} won a round with {value} points', eventId: 'win' },
        {
          type: 'PostWindowMessage',
          message: 'The harbour master waves: {value} points, and the ship is loaded',
        },
      ],
    },
    {
      trigger: 'weekly-prize',
      seasonEnd: { leaderboard: demoLeaderboard.name, places: { to: 3 } },
      actions: [
        { type: 'Notify', message: 'The week is over: you finished in place {place}, {username}!' },
        {
          type: 'SendCustomActivity',
          label: '{username} finished week {season} in place {place}',
          eventId: 'weekly-prize',
        },
      ],
    },
  ];
  await db.write(replaceRules, game.id, ruleList.parse(rules));
}

async function ensureLeaderboard(db: Store, gameId: string): Promise<void> {
  if (await db.read(findLeaderboard, gameId, demoLeaderboard.name)) return;
  // Another process created it first, or the game has reached its leaderboard limit.
  const refusals = ['leaderboard_name_taken', 'leaderboard_limit_reached'];
  await db.write(addLeaderboard, gameId, demoLeaderboard).catch(unlessRefused(...refusals));
}

/** Ignores refusals for these reasons. */
function unlessRefused(...reasons: string[]): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof GantryError && reasons.includes(error.reason))) throw error;
  };
}

/** A younger demo game without rules is assumed to be in progress: another process is seeding it. */
const seedingMs = 60_000;

async function isSeededOrInProgress(db: Store, game: Game): Promise<boolean> {
  return (await db.read(readRules, game.id)).version > 0 || Date.now() - game.createdAt < seedingMs;
}

/** Null when another process created it first. */
async function createOnce(
  db: Store,
  box: SecretBox,
  game: NewGame & GameDetailChanges,
): Promise<Game | null> {
  try {
    return await db.write(registerGame, game, box.sealSecret(newGameSecret()));
  } catch (error) {
    if (error instanceof GantryError && error.reason === 'slug_taken') return null;
    throw error;
  }
}
