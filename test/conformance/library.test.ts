import { afterAll, describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import { apiOf } from '../support/api.ts';
import { faults, itRefuses, missing, pagingFaults } from '../support/field-faults.ts';
import { accepted, refused } from '../support/outcome.ts';
import { page, time } from '../support/records.ts';
import { startTestServer } from '../support/server.ts';
import { bearer } from '../support/world.ts';

const server = await startTestServer();
afterAll(server.close);
const api = apiOf(server);
const orbit = await server.createGame({ name: 'Orbit' });
const rapids = await server.createGame({ name: 'Rapids', listing: 'unlisted' });
const launcher = await server.createGame({ name: 'Launcher', kind: 'launcher' });
const inLauncher = await server.openSession(launcher.gameId);
const inOrbit = await server.openSession(orbit.gameId, inLauncher.wallet);

const listed = {
  gameId: z.string(),
  slug: z.string(),
  name: z.string(),
  kind: z.enum(['game', 'launcher']),
  url: z.string(),
  tokenIn: z.enum(['query', 'fragment']),
  image: z.string(),
  guests: z.boolean(),
  playing: z.int(),
};
const succeeded = z.strictObject({ success: z.literal(true) });
const details = {
  description: 'Race.\nWin.',
  tags: ['racing', 'space'],
  media: [
    { kind: 'image', url: '/demo-game/a.png', alt: 'A ship' },
    { kind: 'video', url: 'https://videos.example/a.mp4', alt: '' },
  ],
  ageRating: 'PEGI 7',
};

const admin = (path: string, input: object) => api.post(path, input, bearer(server.adminToken));
const updateGame = (fields: object) => admin('/admin/update-game', { gameId: orbit.gameId, ...fields });

describe('get-game', () => {
  const answer = z.strictObject({
    success: z.literal(true),
    game: z.strictObject({
      ...listed,
      listing: z.enum(['listed', 'unlisted', 'archived']),
      description: z.string(),
      tags: z.array(z.string()),
      media: z.array(z.strictObject({ kind: z.enum(['image', 'video']), url: z.string(), alt: z.string() })),
      ageRating: z.string(),
      version: z.string(),
      access: z.null(),
    }),
  });
  const get = async (input: object) => accepted(await api.post('/launcher/get-game', input), answer).game;

  it('shows what administrators have set, by id or slug; omitted fields stay, and empty ones are removed', async () => {
    const nothing = { description: '', tags: [], media: [], ageRating: '', version: '' };
    expect(await get({ slug: 'orbit' })).toMatchObject({ name: 'Orbit', listing: 'listed', ...nothing });
    expect((await updateGame(details)).status).toBe(200);
    for (const input of [{ slug: 'orbit' }, { gameId: 'orbit' }, { gameId: orbit.gameId }]) {
      expect(await get(input)).toMatchObject({ gameId: orbit.gameId, ...details });
    }
    await updateGame({ ageRating: 'PEGI 12', tags: [], media: [{ kind: 'image', url: '/a.png' }] });
    expect(await get({ slug: 'orbit' })).toMatchObject({
      ...details,
      ageRating: 'PEGI 12',
      tags: [],
      media: [{ kind: 'image', url: '/a.png', alt: '' }],
    });
    const { body } = await admin('/admin/create-game', { name: 'Complete', ...details });
    expect(await get({ gameId: String(Object(body).gameId) })).toMatchObject(details);
    // The list of games stays small.
    expect(JSON.stringify((await api.post('/launcher/get-games', {})).body)).not.toContain('Race.');
  });

  it('shows the version of the latest release, which nothing else sets', async () => {
    const release = (path: string, version: string) => admin(path, { gameId: orbit.gameId, version });
    const version = async () => (await get({ slug: 'orbit' })).version;
    await release('/admin/publish-release', '1.4.0');
    expect(await version()).toBe('1.4.0');
    await release('/admin/publish-release', '1.3.9');
    expect(await version()).toBe('1.3.9');
    await updateGame({ version: '7', description: 'Changed' });
    expect(await version()).toBe('1.3.9');
    await release('/admin/remove-release', '1.3.9');
    expect(await version()).toBe('1.4.0');
    await release('/admin/remove-release', '1.4.0');
    expect(await version()).toBe('');
  });

  it('shows unlisted games, and archived ones as such', async () => {
    expect(await get({ slug: 'rapids' })).toMatchObject({ listing: 'unlisted' });
    const { gameId } = await server.createGame({ name: 'Old' });
    await admin('/admin/update-game', { gameId, listing: 'archived' });
    expect(await get({ gameId })).toMatchObject({ listing: 'archived' });
  });

  itRefuses(api, '/launcher/get-game', () => ({ slug: 'orbit' }), [
    ...faults('slug', ['Not A Slug', 7], 'input_invalid'),
    ...faults('gameId', [orbit.gameId, 7], 'input_invalid'),
  ]);

  it('refuses a call that names no game, or an unknown one', async () => {
    refused(await api.post('/launcher/get-game', {}), 400, 'input_invalid', 'gameId');
    refused(await api.post('/launcher/get-game', { gameId: 'no-such-game' }), 400, 'game_unknown');
  });

  it.each([
    ['description', 'a'.repeat(5_001)],
    ['tags', Array.from({ length: 21 }, (_, at) => `tag ${at}`)],
    ['tags', ['same', 'same']],
    ['tags.0', ['']],
    ['media', Array.from({ length: 21 }, () => ({ kind: 'image', url: '/a.png' }))],
    ['media.0.url', [{ kind: 'image', url: 'javascript:alert(1)' }]],
    ['media.0.kind', [{ kind: 'sound', url: '/a.mp3' }]],
    ['ageRating', 'a'.repeat(21)],
  ])('administrators are refused an invalid %s', async (path, value) => {
    refused(await updateGame({ [path.split('.')[0] ?? '']: value }), 400, 'input_invalid', path);
  });
});

describe('favorite games', () => {
  const favorites = page(z.strictObject({ ...listed, favoritedAt: time }));
  const mark = (launcherJwt: string, gameId: string, favorite = true) =>
    api.post('/launcher/set-favorite-game', { launcherJwt, gameId, favorite });
  const list = async ({ launcherJwt }: { launcherJwt: string }, input: object = {}) =>
    accepted(await api.post('/launcher/list-favorite-games', { launcherJwt, ...input }), favorites);

  test('a launcher marks any game by id or slug; a game marks and sees only itself', async () => {
    accepted(await mark(inLauncher.launcherJwt, 'rapids'), succeeded);
    accepted(await mark(inOrbit.launcherJwt, orbit.gameId), succeeded);
    const all = await list(inLauncher);
    expect(all).toMatchObject({ total: 2, limit: 50, skip: 0 });
    expect(all.data.map(({ name }) => name)).toEqual(['Orbit', 'Rapids']);
    expect((await list(inLauncher, { limit: 1, skip: 1 })).data.map(({ name }) => name)).toEqual(['Rapids']);
    expect((await list(inOrbit)).data.map(({ gameId }) => gameId)).toEqual([orbit.gameId]);
    expect((await list(await server.openSession(launcher.gameId))).total).toBe(0);
    refused(await mark(inOrbit.launcherJwt, rapids.gameId), 401, 'not_a_launcher');
    refused(await mark(inLauncher.launcherJwt, 'no-such-game'), 400, 'game_unknown');
    accepted(await mark(inLauncher.launcherJwt, 'orbit', false), succeeded);
    expect((await list(inLauncher)).data.map(({ name }) => name)).toEqual(['Rapids']);
  });

  test("a session that the game's server opened marks nothing: its player may never have opened the game", async () => {
    const player = await server.openSession(launcher.gameId);
    const open = await api.post(
      '/launcher/open-channel-session',
      { wallet: player.wallet },
      bearer(orbit.gameSecret),
    );
    const { launcherJwt } = Object(open.body);
    refused(await mark(launcherJwt, orbit.gameId), 401, 'sign_in_required');
    expect((await list(player)).total).toBe(0);
  });

  itRefuses(
    api,
    '/launcher/set-favorite-game',
    () => ({ launcherJwt: inLauncher.launcherJwt, gameId: orbit.gameId, favorite: true }),
    [
      ...faults('gameId', [missing, 7, ''], 'input_invalid'),
      ...faults('favorite', [missing, 'yes', 1], 'input_invalid'),
    ],
  );
  itRefuses(
    api,
    '/launcher/list-favorite-games',
    () => ({ launcherJwt: inLauncher.launcherJwt }),
    pagingFaults,
  );
});
