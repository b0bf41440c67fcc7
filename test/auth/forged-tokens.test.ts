import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Reason } from '../../src/core/errors.ts';
import type { AnyOperation } from '../../src/features/operation.ts';
import { endSession } from '../../src/features/sessions/commands.ts';
import { caseOf } from '../operations/cases.ts';
import {
  type Caller,
  type CallStyle,
  dispatchByGet,
  ownStyles,
  plainStyles,
} from '../support/call-styles.ts';
import { effectsOn } from '../support/effects.ts';
import { ed25519, makeJwt, readJwt } from '../support/jwt-parts.ts';
import { connectLauncher } from '../support/launcher.ts';
import { operationNamed, takingToken } from '../support/registered.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { createWorld, ownersData, type World } from '../support/world.ts';
import { type Forgery, forgeries, handMade, type Loot } from './forgeries.ts';
import { lootOf, publicKeysOf, retireKey, rotateKeys } from './loot.ts';

const reading = operationNamed('getStates');

let server: TestServer;
let world: World;
let loot: Loot;
/** A valid input for each operation, so that only the token is wrong. */
let inputs: Map<string, Record<string, unknown>>;
let effects: () => number;
const cells = { refused: 0, accepted: 0 };

beforeAll(async () => {
  server = await startTestServer();
  const retired = await retireKey(server);
  world = await createWorld(server);
  loot = await lootOf(world, retired);
  inputs = new Map();
  for (const operation of takingToken) {
    inputs.set(operation.name, await caseOf(operation).input(world, 'owner'));
  }
  effects = effectsOn(server);
});
afterAll(async () => {
  await server.close();
  process.stdout.write(
    `forged tokens: ${cells.refused + cells.accepted} cells (${forgeries.length} forgeries, ${takingToken.length} operations), ` +
      `${cells.refused} refused, ${cells.accepted} accepted\n`,
  );
});

test('a token made by hand with the right key works, so the others fail for the stated reason', async () => {
  using caller = await ownStyles['Socket.IO, signed in'](server.url);
  for (const operation of takingToken.filter(({ kind }) => kind === 'read')) {
    if (caseOf(operation).caller) continue; // the token belongs to a player with a wallet, in a game
    const { status, text } = await caller.call(operation, {
      ...inputs.get(operation.name),
      launcherJwt: handMade(loot),
    });
    expect(status, text).toBe(200);
  }
});

const styles: [string, CallStyle][] = Object.entries(plainStyles);

describe.each(styles)('over %s, every operation that takes a token refuses', (_, connect) => {
  let caller: Caller;
  beforeAll(async () => {
    caller = await connect(server.url);
  });
  afterAll(() => caller[Symbol.dispose]());

  test.each(forgeries)('$title', async (forgery) => {
    await refuses(caller, refusingAmong(takingToken, forgery), forgery.make(loot), forgery);
  });

  test.each(forgeries.filter(({ mayAskForStatus }) => mayAskForStatus))(
    '$title, but reports that the session is over',
    async ({ make }) => {
      for (const operation of takingToken.filter(({ auth }) => auth === 'session')) {
        const { status, body } = await caller.call(operation, { launcherJwt: make(loot) });
        expect(status).toBe(200);
        expect(body).toMatchObject({ exists: false, present: false });
      }
    },
  );
});

describe.each(styles)('over %s, a token that was accepted is refused', (_, connect) => {
  test('from the moment it expires', async () => {
    using caller = await connect(server.url);
    const { launcherJwt: token } = await server.openSession(world.gameId);
    const launcherJwt = handMade({ ...loot, token }, { exp: Math.floor(Date.now() / 1000) + 3 });
    expect((await caller.call(reading, { launcherJwt })).status).toBe(200);
    await until(
      'the end of its time',
      async () => (await caller.call(reading, { launcherJwt })).status !== 200,
    );
    await refuses(caller, [reading], launcherJwt, { reason: 'token_expired' });
  });

  test('from the moment its session has ended', async () => {
    using caller = await connect(server.url);
    const { launcherJwt, wallet, sessionId } = await server.openSession(world.gameId);
    expect((await caller.call(reading, { launcherJwt })).status).toBe(200);
    await server.services.db.write(endSession, wallet, sessionId);
    await refuses(caller, [reading], launcherJwt, { reason: 'session_ended', endReason: 'ended' });
  });
});

describe('over method dispatch with GET, every read-only operation refuses', () => {
  const reads = takingToken.filter(({ kind }) => kind === 'read');

  test.each(forgeries.filter(({ fitsQuery }) => fitsQuery ?? true))('$title', async (forgery) => {
    using caller = await dispatchByGet(server.url);
    await refuses(caller, refusingAmong(reads, forgery), forgery.make(loot), forgery);
  });
});

describe('the handshake of Socket.IO refuses', () => {
  // Without a token (null counts as none), a socket connects anonymously.
  test.each(forgeries.filter(({ title }) => title !== 'null'))(
    '$title',
    async ({ make, reason, endReason }) => {
      const refused: unknown = await connectLauncher(server.url, { launcherJwt: make(loot) }).then(
        (launcher) => {
          launcher[Symbol.dispose]();
          return 'connected';
        },
        (error: unknown) => error,
      );
      count(refused instanceof Error ? 401 : 200);
      expect(refused).toMatchObject({ data: refusal({ reason, endReason }) });
    },
  );
});

test('a token of the type that earlier versions issued is valid until its session ends', async () => {
  using caller = await plainStyles['dedicated HTTP'](server.url);
  const { launcherJwt } = await server.openSession(world.gameId);
  const { header, payload } = readJwt(launcherJwt);
  expect(header.typ).toBe('JWT');
  const earlier = makeJwt({ ...header, typ: 'launcher+jwt' }, payload, ed25519(loot.privateKey));
  expect((await caller.call(reading, { launcherJwt: earlier })).status).toBe(200);
});

test('a token signed before the keys were rotated works during the overlap, and not a moment longer', async () => {
  await using own = await startTestServer();
  using caller = await plainStyles['dedicated HTTP'](own.url);
  const { gameId } = await own.createGame();
  const before = await own.openSession(gameId);
  const [old] = await publicKeysOf(own);
  const { kid } = await rotateKeys(own, 2_000);
  const after = await own.openSession(gameId);
  const statusOf = async ({ launcherJwt }: { launcherJwt: string }) =>
    (await caller.call(reading, { launcherJwt })).status;

  expect((await publicKeysOf(own)).map((key) => key.kid)).toEqual([kid, old?.kid]);
  expect(readJwt(after.launcherJwt).header.kid).toBe(kid);
  expect([await statusOf(before), await statusOf(after)]).toEqual([200, 200]);

  await until('the end of the overlap', async () => (await publicKeysOf(own)).length === 1);
  expect([await statusOf(before), await statusOf(after)]).toEqual([401, 200]);
});

/** The operations that the token grants no access to. */
function refusingAmong(
  operations: readonly AnyOperation[],
  { title, mayAskForStatus }: Forgery,
): AnyOperation[] {
  const isMissing = title === 'nothing' || title === 'null';
  return operations.filter(
    ({ auth }) => (!mayAskForStatus || auth !== 'session') && (!isMissing || auth !== 'player-or-anyone'),
  );
}

/** Every operation answers the token with 401 and has no effect. */
async function refuses(
  caller: Caller,
  operations: readonly AnyOperation[],
  launcherJwt: unknown,
  why: Why,
): Promise<void> {
  const [before, effectsBefore] = [await ownersData(world), effects()];
  const answers: { operation: string; status: number; body: unknown }[] = [];
  for (const operation of operations) {
    const { status, body } = await caller.call(operation, { ...inputs.get(operation.name), launcherJwt });
    count(status);
    answers.push({ operation: operation.name, status, body });
  }
  expect(answers).toEqual(
    operations.map(({ name }) => ({ operation: name, status: 401, body: refusal(why) })),
  );
  expect(await ownersData(world)).toBe(before);
  expect(effects()).toBe(effectsBefore);
}

function count(status: number): void {
  if (status === 200) cells.accepted++;
  else cells.refused++;
}

/** Without a reason: `token_invalid`. */
interface Why {
  reason?: Reason | undefined;
  endReason?: string | undefined;
}

function refusal({ reason = 'token_invalid', endReason }: Why) {
  return {
    success: false,
    error: expect.stringContaining('launcherJwt'),
    name: 'NotAuthenticated',
    message: expect.stringContaining('launcherJwt'),
    code: 401,
    className: 'not-authenticated',
    data: { reason, success: false, error: expect.any(String), ...(endReason && { endReason }) },
  };
}
