import { beforeAll, expect, test } from 'vitest';
import { findEntries, indexEntries, type ManualIndex } from '../../public/docs/find-entries.js';
import { DirectoryAssets } from '../../src/pages/directory-assets.ts';
import { Manual } from '../../src/pages/manual.ts';

let index: ManualIndex;
beforeAll(async () => {
  const sections = await new Manual(new DirectoryAssets()).searchIndex();
  index = indexEntries(JSON.parse(Buffer.from(sections).toString()));
});

const first = (question: string) => findEntries(index, question)[0]?.address;

test.each([
  ['how do I reset a leaderboard weekly', '/docs/weekly-leaderboard'],
  ['chat between players', '/docs/chat'],
  ['add a friend', '/docs/friends#add-a-friend'],
  ['see who is online', '/docs/friends#see-who-is-online-and-what-they-play'],
  ['invite a player', '/docs/friends#invite-to-a-game-and-join'],
  ['appear offline', '/docs/friends#privacy-and-appearing-offline'],
  ['how to ban a player', '/docs/moderation#banning-a-player'],
  ['backup', '/docs/back-up'],
  ['cloud save', '/docs/cloud-saves'],
  ['delete my data gdpr', '/docs/player-data'],
  ['cheating scores', '/docs/stop-cheating'],
  ['unity webgl', '/docs/first-unity-game'],
  ['first unity game', '/docs/first-unity-game'],
  ['godot first game', '/docs/first-godot-game'],
  ['python bot game', '/docs/first-python-game'],
  ['make a browser game', '/docs/first-browser-game'],
  ['godot 3 yield', '/docs/first-godot-game#in-godot-3'],
  ['rate limit', '/docs/rate-limits'],
  ['cors', '/docs/troubleshooting'],
  ['matchmaking', '/docs/matchmaking'],
  ['leaderbord', '/docs/leaderboards'],
  ['players and sessions', '/docs/players'],
  ['login with wallet', '/docs/sign-in'],
  ['play without an account', '/docs/guests'],
  ['save the game while offline', '/docs/cloud-saves#save-while-offline'],
  ['how do I deploy it', '/docs/deploy'],
  ['nginx', '/docs/proxies#behind-nginx'],
  ['how much memory does it need', '/docs/sizing#processors-memory-and-disk'],
  ['roles of administrators', '/docs/administrators'],
  ['archive a game', '/docs/games#listing-and-archiving'],
  ['upgrade to a new version', '/docs/upgrade'],
  ['prometheus metrics', '/docs/logs-and-metrics'],
  ['docker', '/docs/install#in-a-container'],
  ['python asyncio', '/docs/first-python-game#a-bot-with-asyncio'],
  ['nonce_replayed', '/docs/errors#nonce_replayed'],
  ['REDIS_URL', '/docs/configuration#REDIS_URL'],
  ['setUserScore', '/docs/calling#setUserScore'],
  ['rotating a secret', '/docs/webhooks#rotating-a-secret'],
  ['missed events', '/docs/live-events'],
  ['news', '/docs/live-ops#news'],
  ['patch notes', '/docs/live-ops#releases'],
  ['remote config', '/docs/live-ops#remote-config'],
  ['feature flags', '/docs/live-ops#remote-config'],
  ['a/b test', '/docs/live-ops#ab-tests-and-rollouts'],
  ['minimum version', '/docs/live-ops#minimum-version'],
  ['calendar', '/docs/live-ops#calendar'],
  ['happy hour', '/docs/live-ops#calendar'],
  ['maintenance', '/docs/live-ops#maintenance'],
  ['playtime', '/docs/launcher-home#playtime'],
  ['favorites', '/docs/launcher-home#favorites'],
  ['token gate', '/docs/launcher-home#games-that-require-tokens'],
  ['nft gate', '/docs/launcher-home#games-that-require-tokens'],
])('"%s" is answered by %s', (question, address) => {
  expect(first(question)).toBe(address);
});

test('part of a name finds it', () => {
  const found = findEntries(index, 'nonce_repl').map(({ address }) => address);
  expect(found[0]).toBe('/docs/errors#nonce_replayed');
});

test('a question of words that say nothing is searched by them', () => {
  expect(findEntries(index, 'how to')).not.toEqual([]);
  expect(findEntries(index, ' ?! ')).toEqual([]);
  expect(findEntries(index, 'qxzzvw')).toEqual([]);
});

test('the change log comes last', () => {
  const pages = findEntries(index, 'leaderboard').map(({ address }) => address.split('#')[0]);
  expect(pages).toContain('/docs/changelog');
  expect(pages.slice(0, 20)).not.toContain('/docs/changelog');
});
