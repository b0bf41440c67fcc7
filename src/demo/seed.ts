import { newGameSecret, type SecretBox } from '../auth/game-secret.ts';
import type { Game } from '../domain/game.ts';
import { GantryError } from '../errors.ts';
import { ruleList } from '../rules/rule.ts';
import type { NewGame, Store } from '../store/store.ts';
import { demoPage, demoPlayers, demoSlug, launcherSlug } from './demo-data.ts';

/**
 * Fills an empty data directory with a launcher, a demo game and enough in it to look at. The rules come
 * last: a demo game that has them is whole and left as it is; one without was interrupted, and is gone through
 * again, at worst with an activity standing twice.
 */
export async function seedDemo(store: Store, box: SecretBox): Promise<void> {
  const begun = await store.games.findBySlug(demoSlug);
  if (begun && (await isDoneOrUnderWay(store, begun))) {
    // One made before the demo game had a page.
    if (begun.url === '') await store.games.update(begun.id, { url: demoPage });
    return;
  }
  await createOnce(store, box, { name: 'Gantry Launcher', slug: launcherSlug, kind: 'launcher' });
  const game = begun ?? (await createOnce(store, box, { name: 'Demo Game', slug: demoSlug, url: demoPage }));
  if (!game) return; // another process that started with this one is seeding
  const owners = demoPlayers.map(({ wallet }) => ({ gameId: game.id, wallet }));
  for (const [index, { wallet, username, score }] of demoPlayers.entries()) {
    const owner = { gameId: game.id, wallet };
    await store.players.setProfile(wallet, { username });
    await store.scores.set(owner, score, 'demo');
    await store.activities.record(owner, {
      label: `{username} reached level ${index + 2}`,
      eventId: 'level-up',
    });
  }
  const [ada, grace] = owners;
  if (ada && grace) {
    const channel = await store.messageChannels.create(ada, [grace.wallet]);
    await store.messages.send(ada, channel._id, 'Did you see the leaderboard?');
    await store.messages.send(grace, channel._id, 'Not for long. One more round?');
  }
  const rules = [
    {
      trigger: 'win',
      actions: [
        { type: 'Notify', message: 'You won, {username}! Your score: {value}', notificationType: 'success' },
        { type: 'SendCustomActivity', label: '{username} won a round with {value} points', eventId: 'win' },
      ],
    },
  ];
  await store.rules.set(game.id, ruleList.parse(rules));
}

/** A demo game younger than this without its rules is being seeded by another process. */
const seedingMs = 60_000;

async function isDoneOrUnderWay(store: Store, game: Game): Promise<boolean> {
  return (await store.rules.get(game.id)).version > 0 || Date.now() - game.createdAt < seedingMs;
}

/** Null when another process has been first. */
async function createOnce(store: Store, box: SecretBox, game: NewGame): Promise<Game | null> {
  try {
    return await store.games.create(game, box.sealSecret(newGameSecret()));
  } catch (error) {
    if (error instanceof GantryError && error.reason === 'slug_taken') return null;
    throw error;
  }
}
