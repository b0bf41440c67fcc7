import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { LeaderboardPolicy } from '../../src/features/games/game.ts';
import { setProfile } from '../../src/features/players/commands.ts';
import { setScore } from '../../src/features/scores/commands.ts';
import { apiOf } from '../support/api.ts';
import { nextMillisecond } from '../support/clock.ts';
import {
  faults,
  itRefuses,
  missing,
  notStrings,
  pagingFaults,
  requiredString,
} from '../support/field-faults.ts';
import { accepted, refused } from '../support/outcome.ts';
import { leaderboardEntry, scoreRecord, succeeded } from '../support/records.ts';
import { randomWallet, startTestServer, type TestPlayer } from '../support/server.ts';

const server = await startTestServer();
afterAll(server.close);
const api = apiOf(server);
const { gameId } = await server.createGame();
const ada = await server.openSession(gameId);

const newScore = succeeded({ newScore: scoreRecord });
const leaderboard = succeeded({ leaderboard: z.array(leaderboardEntry) });
const position = succeeded({ position: z.exactOptional(z.int()) });

const largest = 9_007_199_254_740_991;

async function set(player: TestPlayer, points: number, nonce?: string) {
  const { launcherJwt } = player;
  return accepted(await api.dispatch('setUserScore', { launcherJwt, score: points, nonce }), newScore)
    .newScore;
}

describe.each([
  ['POST /scores', (body: object) => api.dispatch('getGameScoresLeaderboard', body, { service: 'scores' })],
  ['POST /launcher', (body: object) => api.dispatch('getGameScoresLeaderboard', body)],
  ['its dedicated path', (body: object) => api.post('/launcher/get-game-scores-leaderboard', body)],
])('the leaderboard by %s', (_way, read) => {
  it('is that of the token or the secret when no game is named', async () => {
    const game = await server.createGame();
    const { launcherJwt } = await server.openSession(game.gameId);
    accepted(await api.dispatch('setUserScore', { launcherJwt, score: 3 }), newScore);
    const [entry] = accepted(await read({ launcherJwt }), leaderboard).leaderboard;
    expect(entry).toMatchObject({ gameId: game.gameId, score: 3 });
    const withSecret = { Authorization: `Bearer ${game.gameSecret}` };
    const bySecret = await api.post('/launcher/get-game-scores-leaderboard', {}, withSecret);
    expect(accepted(bySecret, leaderboard).leaderboard).toEqual([entry]);
    expect(accepted(await read({ launcherJwt, gameId }), leaderboard).leaderboard).not.toEqual([entry]);
    refused(await read({ launcherJwt: 'x' }), 401, 'token_invalid');
    refused(await read({}), 400, 'input_invalid', 'gameId');
  });

  it('has every field of an entry, with a default name and picture for players without', async () => {
    const game = await server.createGame();
    const player = await server.openSession(game.gameId, `0x1234${'0f'.repeat(16)}abcd`);
    const record = await set(player, 42, 'first');
    const [entry, ...rest] = accepted(await read({ gameId: game.gameId }), leaderboard).leaderboard;
    expect(rest).toEqual([]);
    expect(entry).toEqual({ ...record, username: '0x1234…abcd', avatar: expect.any(String) });
    const picture = await fetch(String(entry?.avatar));
    expect(picture.status).toBe(200);
    expect(picture.headers.get('content-type')).toMatch(/^image\/svg\+xml/);
    expect(await picture.text()).toMatch(/^<svg[\s>]/);
  });

  it("shows a player's chosen name and picture", async () => {
    const game = await server.createGame();
    const player = await server.openSession(game.gameId);
    const profile = { username: 'Ada', avatar: 'https://pictures.example/ada.png' };
    await server.services.db.write(setProfile, player.wallet, profile);
    await set(player, 1);
    const answer = accepted(await read({ gameId: game.gameId }), leaderboard);
    expect(answer.leaderboard).toMatchObject([profile]);
  });

  it('is empty for a game without scores', async () => {
    const game = await server.createGame();
    expect(accepted(await read({ gameId: game.gameId }), leaderboard).leaderboard).toEqual([]);
  });

  it('refuses an unknown game', async () => {
    refused(await read({ gameId: 'no-such-game' }), 400, 'game_unknown');
  });
});

describe('the leaderboard pages', async () => {
  const game = await server.createGame();
  const board = await scoresOf(game.gameId, 260);
  const read = (paging: object) =>
    api.dispatch('getGameScoresLeaderboard', { gameId: game.gameId, ...paging }, { service: 'scores' });

  it.each([
    [{}, 0, 50],
    [{ limit: 7 }, 0, 7],
    [{ limit: 0 }, 0, 50],
    [{ limit: null, skip: null }, 0, 50],
    [{ limit: 250 }, 0, 250],
    [{ limit: 251 }, 0, 250],
    [{ limit: 100_000, skip: 3 }, 3, 250],
    [{ limit: 10, skip: 255 }, 255, 5],
    [{ skip: 260 }, 260, 0],
    [{ skip: largest }, 260, 0],
  ])('%j returns the rows from %i on, %i of them', async (paging, from, count) => {
    const rows = accepted(await read(paging), leaderboard).leaderboard;
    expect(rows.map((row) => row.score)).toEqual(board.slice(from, from + count));
  });

  itRefuses(api, '/launcher/get-game-scores-leaderboard', () => ({ gameId: game.gameId }), [
    ...requiredString('gameId'),
    ...pagingFaults,
  ]);
});

interface Standing {
  what: string;
  policy: Partial<LeaderboardPolicy>;
  /** `<player> <score> [nonce]`, in the order they are set. */
  sets: string[];
  board: string[];
}

describe('the leaderboard ranks', () => {
  it.each<Standing>([
    {
      what: 'one row per player, with the highest score',
      policy: {},
      sets: ['ada 10', 'grace 30', 'ada 20', 'ada 5', 'eve 25'],
      board: ['grace 30', 'eve 25', 'ada 20'],
    },
    {
      what: 'ties in the order in which they were reached',
      policy: {},
      sets: ['ada 5 a', 'grace 20', 'eve 20', 'ada 20 a', 'grace 20'],
      board: ['grace 20', 'eve 20', 'ada 20'],
    },
    {
      what: 'a score repeated under its nonce at the time it was first set',
      policy: {},
      sets: ['ada 20 n', 'grace 20', 'ada 20 n'],
      board: ['ada 20', 'grace 20'],
    },
    {
      what: 'a score replaced by a worse one at its new value',
      policy: {},
      sets: ['ada 100 n', 'ada 80 m', 'grace 90', 'ada 10 n'],
      board: ['grace 90', 'ada 80'],
    },
    {
      what: 'the lowest score first when less is better',
      policy: { order: 'asc' },
      sets: ['ada 10', 'grace 30', 'ada 20', 'grace 7', 'eve 8.5'],
      board: ['grace 7', 'eve 8.5', 'ada 10'],
    },
    {
      what: 'ties in the order in which they were reached when less is better',
      policy: { order: 'asc' },
      sets: ['grace 9', 'ada 3', 'grace 3'],
      board: ['ada 3', 'grace 3'],
    },
    {
      what: 'the score set last when the game uses the latest',
      policy: { keep: 'latest' },
      sets: ['ada 10', 'grace 30', 'ada 50', 'grace 20', 'ada 5'],
      board: ['grace 20', 'ada 5'],
    },
    {
      what: 'the latest score, the lowest first',
      policy: { keep: 'latest', order: 'asc' },
      sets: ['ada 1', 'grace 2', 'ada 3'],
      board: ['grace 2', 'ada 3'],
    },
    {
      what: 'a nonce set again as the latest',
      policy: { keep: 'latest' },
      sets: ['ada 9 n', 'ada 4 m', 'ada 6 n', 'grace 5'],
      board: ['ada 6', 'grace 5'],
    },
    {
      what: 'negative, fractional and zero scores by their value',
      policy: {},
      sets: ['ada -1', 'grace 0', 'eve 0.5'],
      board: ['eve 0.5', 'grace 0', 'ada -1'],
    },
  ])('$what', async ({ policy, sets, board }) => {
    const game = await server.createGame({
      policies: { leaderboard: { keep: 'best', order: 'desc', ...policy } },
    });
    const players = new Map<string, TestPlayer>();
    for (const line of sets) {
      const [name = '', points, nonce] = line.split(' ');
      const player = players.get(name) ?? (await server.openSession(game.gameId));
      players.set(name, player);
      await set(player, Number(points), nonce);
      await nextMillisecond();
    }
    const answer = await api.dispatch('getGameScoresLeaderboard', { gameId: game.gameId });
    const nameOf = new Map([...players].map(([name, { wallet }]) => [wallet, name]));
    const rows = accepted(answer, leaderboard).leaderboard;
    expect(rows.map((row) => `${nameOf.get(row.normalizedAddress)} ${row.score}`)).toEqual(board);

    for (const [index, row] of rows.entries()) {
      const place = await positionOf(game.gameId, row.normalizedAddress);
      expect(place, `position of ${nameOf.get(row.normalizedAddress)}`).toBe(index + 1);
    }
  });

  it('shows a score in the response right after its own', async () => {
    const game = await server.createGame();
    const player = await server.openSession(game.gameId);
    for (let points = 1; points <= 20; points++) {
      await set(player, points);
      const answer = await api.dispatch('getGameScoresLeaderboard', { gameId: game.gameId });
      expect(accepted(answer, leaderboard).leaderboard).toMatchObject([{ score: points }]);
    }
  });
});

describe('getUsersPositionInGameScoreLeaderboard', () => {
  it('finds the player whatever the letter case of the wallet', async () => {
    const player = await server.openSession(gameId);
    await set(player, largest);
    const shouted = `0x${player.wallet.slice(2).toUpperCase()}`;
    expect(await positionOf(gameId, shouted)).toBe(await positionOf(gameId, player.wallet));
  });

  it('omits the position of a player without a score', async () => {
    expect(await positionOf(gameId, randomWallet())).toBeUndefined();
  });

  it('works on /scores and on its dedicated path', async () => {
    const body = { gameId, wallet: ada.wallet };
    const name = 'getUsersPositionInGameScoreLeaderboard';
    const scoresPath = accepted(await api.dispatch(name, body, { service: 'scores' }), position);
    const path = '/launcher/get-users-position-in-game-score-leaderboard';
    expect(accepted(await api.post(path, body), position)).toEqual(scoresPath);
  });

  itRefuses(
    api,
    '/launcher/get-users-position-in-game-score-leaderboard',
    () => ({ gameId, wallet: ada.wallet }),
    [
      ...requiredString('gameId'),
      ...faults('wallet', [missing, ...notStrings, '', '0x12', `${ada.wallet}0`], 'address_invalid'),
    ],
  );

  it('refuses an unknown game', async () => {
    const body = { gameId: 'no-such-game', wallet: ada.wallet };
    refused(await api.dispatch('getUsersPositionInGameScoreLeaderboard', body), 400, 'game_unknown');
  });
});

/** Sets scores 1 to `count`, each for a separate player, and returns them best first. */
async function scoresOf(game: string, count: number): Promise<number[]> {
  const all = Array.from({ length: count }, (_, index) => index + 1);
  await Promise.all(
    all.map((points) => server.services.db.write(setScore, { gameId: game, wallet: randomWallet() }, points)),
  );
  return all.reverse();
}

async function positionOf(game: string, wallet: string): Promise<number | undefined> {
  const body = { gameId: game, wallet };
  const answer = await api.dispatch('getUsersPositionInGameScoreLeaderboard', body);
  return accepted(answer, position).position;
}
