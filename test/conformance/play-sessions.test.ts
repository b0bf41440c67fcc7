import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { apiOf } from '../support/api.ts';
import { faults, itRefuses, requiredString } from '../support/field-faults.ts';
import { accepted, refused } from '../support/outcome.ts';
import { succeeded } from '../support/records.ts';
import { rowsIn } from '../support/rows-in.ts';
import { startTestServer, type TestPlayer } from '../support/server.ts';

const server = await startTestServer();
afterAll(server.close);
const api = apiOf(server);
const { gameId } = await server.createGame();
const ada = await server.openSession(gameId);

const done = succeeded({});
const path = '/launcher/track-game-sessions';
const megabyte = 1_048_576;

interface Play {
  sessionId: string;
  state: string;
  endTime?: number;
}

const track = (player: TestPlayer, play: Play) =>
  api.post(path, { launcherJwt: player.launcherJwt, ...play });

/** The stored play session; no operation shows it. */
async function kept(sessionId: string): Promise<unknown> {
  const text = 'SELECT game_id, wallet, state, end_time FROM play_sessions WHERE id = @sessionId';
  return (await rowsIn(server.services.db, text, { sessionId }))[0];
}

describe('track-game-sessions', () => {
  it('starts, updates and ends a play session', async () => {
    const sessionId = randomUUID();
    const owner = { game_id: gameId, wallet: ada.wallet };
    accepted(await track(ada, { sessionId, state: '{"level":1}' }), done);
    expect(await kept(sessionId)).toEqual({ ...owner, state: '{"level":1}', end_time: null });
    accepted(await track(ada, { sessionId, state: '{"level":2}' }), done);
    expect(await kept(sessionId)).toEqual({ ...owner, state: '{"level":2}', end_time: null });
    const endTime = Date.now() + 60_000;
    accepted(await track(ada, { sessionId, state: '{"level":3}', endTime }), done);
    expect(await kept(sessionId)).toEqual({ ...owner, state: '{"level":3}', end_time: endTime });
  });

  it('accepts a session that is reported only once, when it is over', async () => {
    const play = { sessionId: randomUUID(), state: '{}', endTime: Date.now() - 60_000 };
    accepted(await track(ada, play), done);
    expect(await kept(play.sessionId)).toMatchObject({ end_time: play.endTime });
  });

  it('behaves the same when dispatched', async () => {
    const play = { sessionId: randomUUID(), state: '[1]' };
    accepted(await api.dispatch('trackGameSessions', { launcherJwt: ada.launcherJwt, ...play }), done);
    expect(await kept(play.sessionId)).toMatchObject({ state: '[1]' });
  });

  it('accepts a UUID in either letter case', async () => {
    const sessionId = randomUUID();
    accepted(await track(ada, { sessionId, state: '1' }), done);
    accepted(await track(ada, { sessionId: sessionId.toUpperCase(), state: '2' }), done);
    expect(await kept(sessionId)).toMatchObject({ state: '2' });
  });

  itRefuses(
    api,
    path,
    () => ({ launcherJwt: ada.launcherJwt, sessionId: randomUUID(), state: '{}', endTime: Date.now() }),
    [
      ...requiredString('sessionId'),
      ...faults('sessionId', ['', 'round-1', `${randomUUID()}0`, randomUUID().slice(1)], 'input_invalid'),
      ...requiredString('state'),
      ...faults('state', ['', '{', 'undefined'], 'state_not_json'),
      ...faults('endTime', [-1, 1.5, '1700000000000', true, [1]], 'input_invalid'),
    ],
  );
});

describe('an ended play session', () => {
  const ended = async (): Promise<Required<Play>> => {
    const play = { sessionId: randomUUID(), state: '{"score":3}', endTime: Date.now() + 1000 };
    accepted(await track(ada, { sessionId: play.sessionId, state: '{}' }), done);
    accepted(await track(ada, play), done);
    return play;
  };

  it('accepts the same end again', async () => {
    const play = await ended();
    accepted(await track(ada, play), done);
    accepted(await track(ada, play), done);
    expect(await kept(play.sessionId)).toMatchObject({ state: play.state, end_time: play.endTime });
  });

  it.each([
    ['another end', ({ endTime, ...rest }: Required<Play>): Play => ({ ...rest, endTime: endTime + 1 })],
    ['another state', (play: Required<Play>): Play => ({ ...play, state: '{"score":4}' })],
    ['an update without an end', ({ sessionId, state }: Required<Play>): Play => ({ sessionId, state })],
  ])('refuses %s and stays unchanged', async (_what, change) => {
    const play = await ended();
    refused(await track(ada, change(play)), 400, 'play_session_ended');
    expect(await kept(play.sessionId)).toMatchObject({ state: play.state, end_time: play.endTime });
  });
});

it('an end before the start is refused, and leaves the session running', async () => {
  const sessionId = randomUUID();
  accepted(await track(ada, { sessionId, state: '1' }), done);
  const early = { sessionId, state: '2', endTime: Date.now() - 60_000 };
  refused(await track(ada, early), 400, 'end_time_before_start');
  expect(await kept(sessionId)).toMatchObject({ state: '1', end_time: null });
  accepted(await track(ada, { sessionId, state: '3' }), done);
});

it.each([
  ['another player', () => server.openSession(gameId)],
  [
    'the same player in another game',
    async () => server.openSession((await server.createGame()).gameId, ada.wallet),
  ],
])('a session id is refused to %s, changing nothing', async (_who, openOther) => {
  const sessionId = randomUUID();
  accepted(await track(ada, { sessionId, state: '"mine"' }), done);
  const before = await kept(sessionId);
  const other = await openOther();
  refused(await track(other, { sessionId, state: '"theirs"' }), 401, 'play_session_not_yours');
  const end = { sessionId, state: '"theirs"', endTime: Date.now() + 1000 };
  refused(await track(other, end), 401, 'play_session_not_yours');
  expect(await kept(sessionId)).toEqual(before);
  accepted(await track(ada, { sessionId, state: '"still mine"' }), done);
});

describe('the state of a play session', () => {
  const send = (state: string) => track(ada, { sessionId: randomUUID(), state });

  it.each([
    ['letters', `"${'a'.repeat(megabyte - 2)}"`],
    ['four-byte characters', `"${'🎲'.repeat((megabyte - 4) / 4)}aa"`],
  ])('may be 1,048,576 bytes of %s and not one more', async (_what, state) => {
    expect(Buffer.byteLength(state)).toBe(megabyte);
    accepted(await send(state), done);
    refused(await send(` ${state}`), 400, 'state_too_large', 'state');
  });

  it.each(['{}', '[1,2]', '7', '"text"', 'null', ' { "a" : 1 } '])('may be %s', async (state) => {
    accepted(await send(state), done);
  });

  it('may nest 32 levels and not one more', async () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    accepted(await send(nested(32)), done);
    refused(await send(nested(33)), 400, 'body_too_deep');
  });
});
