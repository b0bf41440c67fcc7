import { errors } from '@feathersjs/errors';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AnyOperation } from '../../src/features/operation.ts';
import {
  type Caller,
  type CallStyle,
  callStyles,
  dispatchByGet,
  plainStyles,
} from '../support/call-styles.ts';
import { get } from '../support/http.ts';
import { connectLauncher } from '../support/launcher.ts';
import { normalised } from '../support/normalise.ts';
import {
  isAboutConnection,
  launcherOperations,
  needsOwnConnection,
  operationNamed,
} from '../support/registered.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { createWorld, credentialFieldsOf, headersOf, type Role } from '../support/world.ts';
import { caseOf } from './cases.ts';
import { errorBody } from './expected.ts';
import { failingCalls } from './failing-calls.ts';

const reads = launcherOperations.filter(({ kind }) => kind === 'read');
const aboutConnection = launcherOperations.filter(isAboutConnection);
/** Those that a game's server calls on behalf of a player, and that return the player they are about. */
const forServersToo = launcherOperations.filter(
  ({ name, auth }) => auth === 'player-or-server' && caseOf({ name }).caller === undefined,
);
const others = launcherOperations.filter((operation) => !isAboutConnection(operation));

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

/** Executes an operation's case in a separate world; the normalized response. */
async function answerOver(caller: Caller, operation: AnyOperation, by?: Role): Promise<unknown> {
  const world = await createWorld(server);
  const { input, caller: usual = 'owner' } = caseOf(operation);
  const role = by ?? usual;
  const sent = { ...credentialFieldsOf(world, role), ...(await input(world, role)) };
  const answer = await caller.call(operation, sent, headersOf(world, role));
  return normalised(caller.signsIn ? withNobodyPresent(answer.body) : answer.body, world);
}

/** A session that calls over its own socket is present, and some responses say so. */
function withNobodyPresent(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body, (key, value) => (key === 'present' ? false : value)));
}

const styles: [string, CallStyle][] = Object.entries(callStyles);

describe.each(styles)('over %s', (style, connect) => {
  let caller: Caller;
  let dedicated: Caller;
  beforeAll(async () => {
    caller = await connect(server.url);
    dedicated = await plainStyles['dedicated HTTP'](server.url);
  });
  afterAll(() => caller[Symbol.dispose]());

  test.each(others)('$name returns the same as everywhere', async (operation) => {
    expect(await answerOver(caller, operation)).toEqual(caseOf(operation).answer);
  });

  test.each(forServersToo)(
    "$name returns the same to a game's server as to the player",
    async (operation) => {
      expect(await answerOver(caller, operation, 'gameServer')).toEqual(caseOf(operation).answer);
    },
  );

  test.each(aboutConnection)(
    '$name returns the same over every connection, or says that it requires one',
    async (operation) => {
      const isOverIts = needsOwnConnection(operation) ? caller.signsIn : caller.overSocket;
      const expected = isOverIts
        ? caseOf(operation).answer
        : errorBody({ code: 400, reason: 'socket_required' });
      expect(await answerOver(caller, operation)).toEqual(expected);
    },
  );

  test.each(failingCalls)('$title is refused with the same error body as everywhere', async (failing) => {
    const world = await createWorld(server);
    const operation = operationNamed(failing.operation);
    const input = { launcherJwt: world.owner.launcherJwt, ...(await failing.input(world)) };
    const reference = await dedicated.call(operation, input);
    const answer = await caller.call(operation, input);

    expect(answer.status).toBe(failing.code);
    expect(answer.body).toEqual(reference.body);
    expect(answer.body).toMatchObject({
      code: failing.code,
      name: failing.name,
      data: { reason: failing.reason },
    });
    // What the handshake refuses never reaches Feathers.
    if (style.startsWith('@feathersjs') && !caller.signsIn)
      expect(answer.thrown).toBeInstanceOf(errors[failing.name]);
  });
});

describe('over method dispatch with GET', () => {
  test.each(reads)('$name returns the same as everywhere', async (operation) => {
    using caller = await dispatchByGet(server.url);
    const expected = isAboutConnection(operation)
      ? errorBody({ code: 400, reason: 'socket_required' })
      : caseOf(operation).answer;
    expect(await answerOver(caller, operation)).toEqual(expected);
  });

  test('the token may come in the header X-Launcher-Jwt', async () => {
    const world = await createWorld(server);
    const answer = await get(`${server.url}/launcher?nonce=${world.canaries.nonce}`, {
      'X-Service-Method': 'getUserScore',
      'X-Launcher-Jwt': world.owner.launcherJwt,
    });
    expect(normalised(answer.body, world)).toEqual(caseOf(operationNamed('getUserScore')).answer);
  });
});

test.each(
  Object.entries({
    'method dispatch': plainStyles['method dispatch'],
    socket: plainStyles['plain Socket.IO'],
  }),
)('an alias answers what its operation answers, over %s', async (_, connect) => {
  using caller = await connect(server.url);
  const aliased = launcherOperations.flatMap((one) =>
    (one.aliases ?? []).map((name) => ({ ...one, name, of: one })),
  );
  expect(aliased.map(({ name }) => name)).toContain('getState');
  for (const alias of aliased) {
    const world = await createWorld(server);
    const { input, answer } = caseOf(alias.of);
    const { body } = await caller.call(alias, {
      launcherJwt: world.owner.launcherJwt,
      ...(await input(world, 'owner')),
    });
    expect(normalised(body, world)).toEqual(answer);
  }
});

test('the activity feed is the same by GET /activities and by find on the socket', async () => {
  const world = await createWorld(server);
  const operation = operationNamed('getActivities');
  const { input, answer } = caseOf(operation);
  const query = new URLSearchParams(
    Object.entries(await input(world, 'owner')).map(([name, value]) => [name, String(value)]),
  );
  const byPath = await get(`${server.url}/activities?${query}`);
  expect(normalised(byPath.body, world)).toEqual(answer);

  using launcher = await connectLauncher(server.url);
  const found = await new Promise((resolve, reject) => {
    launcher.socket.emit(
      'find',
      'activities',
      Object.fromEntries(query),
      (error: unknown, result: unknown) => (error ? reject(error) : resolve(result)),
    );
  });
  expect(normalised(found, world)).toEqual(answer);
});

test('a connection receives the public streams it has subscribed to, and lists them', async () => {
  const world = await createWorld(server);
  using launcher = await connectLauncher(server.url, { launcherJwt: world.tokens.launcher });
  const followed = () => launcher.call('getSubscribedChannels');
  const channelOf = (gameId: string) => ({ gameId, stream: `game:${gameId}` });

  await launcher.call('subscribe', { gameId: world.gameId });
  await launcher.call('subscribe', { gameId: world.otherGameId }, 'realtime-events');
  expect(await followed()).toEqual({
    success: true,
    channels: [channelOf(world.gameId), channelOf(world.otherGameId)],
  });
  await launcher.call('unsubscribe', { gameId: world.gameId });
  expect(await followed()).toEqual({ success: true, channels: [channelOf(world.otherGameId)] });
});
