import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AnyOperation } from '../../src/features/operation.ts';
import { type Caller, type CallStyle, ownStyles } from '../support/call-styles.ts';
import { effectsOn } from '../support/effects.ts';
import {
  isAboutConnection,
  launcherOperations,
  needsOwnConnection,
  registry,
} from '../support/registered.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import {
  type CanaryName,
  createWorld,
  credentialFieldsOf,
  headersOf,
  ownersData,
  type Role,
  roles,
  type World,
} from '../support/world.ts';
import { type Access, refused, refusedAtHandshake } from './access.ts';
import { cases, launcherCaseOf } from './cases.ts';
import { errorBody, leaked } from './expected.ts';

const styles: [string, CallStyle][] = Object.entries(ownStyles);
const outcomes = { refused: 0, own: 0, shared: 0, leaks: 0 };

/** What a participant of the owner's channel knows anyway. */
const knownToParticipants: readonly CanaryName[] = ['message', 'channelId', 'messageId'];

let server: TestServer;
let effects: () => number;
/** By operation, for those who are refused, or only read: they change nothing, which each test checks. */
const unchanged = new Map<AnyOperation, World>();
beforeAll(async () => {
  server = await startTestServer();
  effects = effectsOn(server);
});
afterAll(async () => {
  await server.close();
  const cells = outcomes.refused + outcomes.own + outcomes.shared;
  process.stdout.write(
    `authorization: ${cells} cells (${launcherOperations.length} operations × ${roles.length} callers × ${styles.length} transports): ` +
      `${outcomes.refused} refused, ${outcomes.own} on the caller's own things, ${outcomes.shared} on the owner's; ` +
      `${outcomes.leaks} leaks\n`,
  );
});

test('every operation of the registry has a case, and every case an operation', () => {
  expect(Object.keys(cases).sort()).toEqual(registry.operations.map(({ name }) => name).sort());
});

test("only the owner, and those the case names, may access the owner's data", () => {
  // The table decides what the tests below expect of callers, so it has minimum requirements itself.
  for (const { name, auth } of launcherOperations) {
    const { access } = launcherCaseOf({ name });
    expect(access.administrator, name).toEqual({ code: 401, reason: 'secret_invalid' });
    if (auth !== 'player' && auth !== 'player-or-server') continue;
    for (const role of ['ended', 'revoked', 'banned'] as const) {
      expect(access[role], `${name} by ${role}`).toEqual({
        code: 401,
        reason: 'session_ended',
        endReason: role,
      });
    }
    expect(access.anonymous, name).toEqual({ code: 401, reason: 'token_missing' });
    expect(access.forged, name).toEqual({ code: 401, reason: 'token_invalid' });
    const ofServer = auth === 'player' ? { code: 401, reason: 'token_missing' } : expect.anything();
    expect(access.gameServer, name).toEqual(ofServer);
    for (const role of ['stranger', 'elsewhere', 'strangersLauncher', 'otherGameServer'] as const) {
      if (role === 'elsewhere' && name === 'setUsername') continue; // the same player
      expect(access[role], `${name} by ${role}`).not.toBe('shared');
    }
  }
});

describe.each(styles)('over %s', (_, connect) => {
  let caller: Caller;
  beforeAll(async () => {
    caller = await connect(server.url);
  });
  afterAll(() => caller[Symbol.dispose]());

  describe.each(launcherOperations)('$name', (operation) => {
    const { input, access, publishes = [] } = launcherCaseOf(operation);
    const changing = (how: Access) =>
      operation.kind === 'read' ? [] : roles.filter((role) => access[role] === how);
    const worlds = new Map<Role, World>();
    beforeAll(async () => {
      // Those who change their own things leave the owner's as they are, which each test checks, too. Only the server of
      // the other game acts for the same player there as `elsewhere`.
      const own: Role[] = changing('own').filter((role) => role !== 'otherGameServer');
      const alone = [...changing('own'), ...changing('shared')].filter((role) => !own.includes(role));
      const groups = [...(own.length > 0 ? [own] : []), ...alone.map((role) => [role])];
      // Created together, worlds share their commits.
      await Promise.all([
        ...groups.map(async (group) => {
          const world = await createWorld(server);
          for (const role of group) worlds.set(role, world);
        }),
        unchanged.has(operation) || createWorld(server).then((world) => void unchanged.set(operation, world)),
      ]);
    });

    test.each(roles)('is for %s what the case says', async (role) => {
      const world = worlds.get(role) ?? unchanged.get(operation);
      if (!world) throw new Error(`there is no world for ${role}`);
      const sent = { ...credentialFieldsOf(world, role), ...(await input(world, role)) };
      const before = await ownersData(world);
      const effectsBefore = effects();

      const answer = await caller.call(operation, sent, headersOf(world, role));

      const expected = overThis(caller, operation, role, access[role]);
      if (expected === 'shared') {
        expect(answer.status, answer.text).toBe(200);
        if (operation.kind === 'read') expect(await ownersData(world)).toBe(before);
        outcomes.shared++;
        return;
      }
      const known = [...publishes, ...(role === 'participant' ? knownToParticipants : [])];
      const leaks = leaked(world, sent, answer, known);
      outcomes.leaks += leaks.length;
      expect(leaks).toEqual([]);
      expect(await ownersData(world)).toBe(before);
      if (expected === 'own') {
        expect(answer.status, answer.text).toBe(200);
        outcomes.own++;
        return;
      }
      expect(answer.status, answer.text).toBe(expected.code);
      expect(answer.body).toEqual(errorBody(expected));
      expect(effects()).toBe(effectsBefore);
      outcomes.refused++;
    });
  });
});

/** The outcome of a call when the transport, too, affects it. */
function overThis(caller: Caller, operation: AnyOperation, role: Role, access: Access): Access {
  if (caller.signsIn) return refusedAtHandshake[role] ?? access;
  const isAllowed = access === 'own' || access === 'shared';
  if (caller.overSocket && !needsOwnConnection(operation)) return access;
  return isAllowed && isAboutConnection(operation) ? refused(400, 'socket_required') : access;
}
