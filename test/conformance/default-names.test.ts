import { afterAll, expect, it } from 'vitest';
import { defaultName, guestPrefix, guestWords } from '../../src/core/schemas/default-name.ts';
import { setProfile } from '../../src/features/players/commands.ts';
import { listPlayers } from '../../src/features/players/operations/players.ts';
import { findPlayer } from '../../src/features/players/queries.ts';
import { replaceRules } from '../../src/features/rules/commands.ts';
import { ruleList } from '../../src/features/rules/rule.ts';
import { overHttp } from '../support/administration.ts';
import { apiOf } from '../support/api.ts';
import { readJwt } from '../support/jwt-parts.ts';
import { startTestServer, type TestPlayer } from '../support/server.ts';

const server = await startTestServer();
afterAll(server.close);
const api = apiOf(server);
const { db } = server.services;

async function newGuest(gameId: string): Promise<TestPlayer> {
  const { body } = await api.post('/launcher/create-guest', { gameId });
  return body as TestPlayer;
}

it('a guest without a name has the same one wherever others see it, and none where it is stored', async () => {
  const { gameId } = await server.createGame();
  const guest = await newGuest(gameId);
  const { wallet, launcherJwt } = guest;
  const notify = { type: 'Notify', message: 'Well done, {username}' };
  await db.write(replaceRules, gameId, ruleList.parse([{ trigger: 'win', actions: [notify] }]));
  const call = async (path: string, body: object = {}) =>
    (await api.post(`/launcher/${path}`, { launcherJwt, ...body })).body as Record<string, unknown>;
  await call('set-user-score', { score: 1 });
  await call('send-custom-activity', { label: '{username} won', eventId: 'win' });
  await call('trigger-rules-engine', { trigger: 'win' });
  const other = await server.openSession(gameId);
  const channel = await call('create-message-channel', { otherParticipants: [other.wallet] });
  const seen = async () => ({
    row: (await call('get-game-scores-leaderboard')).leaderboard,
    activities: Object((await api.get(`/activities?gameId=${gameId}`)).body).result.data,
    participants: (await call('get-channel-participants', { channelId: channel._id })).participants,
  });

  const name = defaultName(wallet);
  expect(name).toMatch(/^[A-Z][a-z]+ [A-Z][a-z]+$/);
  expect(await seen()).toMatchObject({
    row: [{ username: name, avatar: `${server.url}/avatars/${wallet}.svg` }],
    activities: [{ user: { username: name }, displayText: `${name} won` }],
    participants: expect.arrayContaining([expect.objectContaining({ wallet, username: name })]),
  });
  expect((await call('list-notifications')).notifications).toMatchObject([{ message: `Well done, ${name}` }]);
  expect(await db.read(findPlayer, wallet)).toMatchObject({ username: '', avatar: '' });
  expect(readJwt(launcherJwt).payload).not.toHaveProperty('username');

  await call('set-username', { username: 'Ada' });
  expect(await seen()).toMatchObject({
    row: [{ username: 'Ada' }],
    activities: [{ displayText: 'Ada won' }],
  });
  await call('set-username', { username: '' });
  expect(await seen()).toMatchObject({ row: [{ username: name }] });

  const picture = await fetch(`${server.url}/avatars/${wallet}.svg`);
  expect(picture.headers.get('content-type')).toMatch(/^image\/svg\+xml/);
  const initials = name.replace(/[^A-Z]/g, '');
  expect(await picture.text()).toMatch(new RegExp(`^<svg .*>${initials}</text></svg>$`));
});

it('the search for players finds guests by their default names', async () => {
  const { gameId } = await server.createGame();
  const [ada, grace] = [await newGuest(gameId), await newGuest(gameId)];
  await db.write(setProfile, grace.wallet, { username: 'Zoe' });
  await server.openSession(gameId);
  const search = async (text: string) =>
    (await overHttp(server).call(listPlayers, { gameId, search: text })).data.map(({ wallet }) => wallet);
  const [adjective = '', animal = ''] = guestWords(ada.wallet) ?? [];
  const found = [
    defaultName(ada.wallet),
    `${adjective} ${animal}`.toUpperCase(),
    adjective,
    animal.toUpperCase(),
    adjective.slice(0, 3),
    `${adjective} ${animal.slice(0, 1)}`,
    ` ${animal}`,
  ];
  for (const text of found) expect([text, await search(text)]).toEqual([text, [ada.wallet]]);
  const other = (guestWords(`${guestPrefix}0000`) ?? []).find(
    (word) => !defaultName(ada.wallet).includes(word),
  );
  for (const text of [
    `${animal} ${adjective}`,
    `${adjective}  ${animal}`,
    `${adjective} ${animal}s`,
    `${adjective}_${animal}`,
    defaultName(grace.wallet), // shown as Zoe
    `${other} %`,
  ])
    expect([text, await search(text)]).toEqual([text, []]);
});
