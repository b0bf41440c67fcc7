import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { namesOptionally } from '../../src/calls/unknown-fields.ts';
import { isName } from '../../src/core/schemas/seen-text.ts';
import type { AnyOperation } from '../../src/features/operation.ts';
import { adminStyles } from '../support/administrators.ts';
import { type Answer, plainStyles } from '../support/call-styles.ts';
import { effectsOn } from '../support/effects.ts';
import { adminOperations, launcherOperations, operationNamed, registry } from '../support/registered.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { createWorld, credentialFieldsOf, headersOf, type World } from '../support/world.ts';
import { caseOf } from './cases.ts';

/**
 * Optional fields that name nothing: without them a call still applies to the same players, records and places. Add a
 * new optional field here, or declare that it names something (`id` or `choice` of `core/schemas/seen-text.ts`).
 */
const nameless: Readonly<Record<string, readonly string[]>> = {
  'the part of a list': [
    'limit',
    'skip',
    'pageNumber',
    'pageSize',
    'cursor',
    'order',
    'after',
    'since',
    'range',
  ],
  'what a list shows of what the caller may see': [
    ...['label', 'prefix', 'kind', 'slug', 'type', 'search', 'present', 'banned', 'status', 'state'],
    ...['outcome', 'id', 'reason', 'operation', 'from', 'to', 'withUnread', 'unreadOnly'],
  ],
  'a value to store, or a setting that is left unchanged': [
    'replyTo',
    ...[
      'metadata',
      'public',
      'endTime',
      'value',
      'rules',
      'channelName',
      'name',
      'chatPicture',
      'image',
      'url',
    ],
    ...[
      'allowedOrigins',
      'policies',
      'listing',
      'username',
      'avatar',
      'comment',
      'note',
      'deviceName',
      'role',
    ],
    ...[
      'entries',
      'keep',
      'labels',
      'addLabels',
      'schedule',
      'keepSeasons',
      'filter',
      'enabled',
      'withoutKeys',
    ],
  ],
  'how long something lasts': [
    ...['expiresInSeconds', 'graceSeconds', 'lifetimeSeconds', 'overlapSeconds', 'lifetimeDays'],
  ],
  'required unless the other is given': ['notificationIds', 'all'],
  'the chain of a signature, which is verified': ['chainId'],
};

function optionalFields({ input }: AnyOperation): [string, z.ZodType][] {
  return Object.entries<z.ZodType>(input.shape).filter(([, field]) => field.safeParse(undefined).success);
}

test('every optional field is known to name something or not', () => {
  const others = registry.operations.flatMap((operation) =>
    optionalFields(operation).flatMap(([name, field]) => (isName(field) ? [] : [name])),
  );
  expect(new Set(others)).toEqual(new Set(Object.values(nameless).flat()));
});

const strict = ({ input }: AnyOperation) => namesOptionally(input);

test('the operations are those that a misspelled field would make do something else', () => {
  const names = registry.operations.filter(strict).map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining([
      ...[
        'removeParticipant',
        'endChannelSession',
        'revokeChannelSession',
        'openChannelSession',
        'setUserScore',
      ],
      ...['setState', 'patchState', 'removeState', 'setRules', 'muteInGame', 'banPlayer', 'unbanPlayer'],
      ...['getGameScoresLeaderboard', 'signInGuest', 'listSessions', 'subscribe', 'triggerRulesEngine'],
    ]),
  );
  expect(names).not.toEqual(expect.arrayContaining(['sendNotification']));
});

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

/** The input of an operation's case, with the credentials of its caller. */
async function callOf(world: World, operation: AnyOperation) {
  const { input, caller: role = 'owner' } = caseOf(operation);
  const sent = { ...credentialFieldsOf(world, role), ...(await input(world, role)) };
  return { sent, headers: headersOf(world, role) };
}

const refusal = ({ name }: AnyOperation, field: string) => ({
  status: 400,
  body: {
    data: { reason: 'input_invalid' },
    errors: [{ path: field, message: expect.stringContaining(`is not a field of ${name}, which takes `) }],
  },
});

describe.each(Object.entries(plainStyles))('over %s', (_, connect) => {
  test.each(launcherOperations.filter(strict))(
    '$name refuses a field that it does not know, without effect',
    async (operation) => {
      const world = await createWorld(server);
      const { sent, headers } = await callOf(world, operation);
      using caller = await connect(server.url);
      const effects = effectsOn(server);
      const answer = await caller.call(operation, { ...sent, byName: 'x' }, headers);
      expect(answer).toMatchObject(refusal(operation, 'byName'));
      expect(effects()).toBe(0);
    },
  );

  test('a null in such a field counts as omitted, and other operations ignore it', async () => {
    const world = await createWorld(server);
    using caller = await connect(server.url);
    for (const [name, unknown] of [
      ['setUserScore', null],
      ['sendNotification', 'x'],
    ] as const) {
      const operation = operationNamed(name);
      const { sent, headers } = await callOf(world, operation);
      expect((await caller.call(operation, { ...sent, byName: unknown }, headers)).status, name).toBe(200);
    }
  });
});

test("the caller's own game and wallet may be repeated in every call, but not others'", async () => {
  const { gameId, owner, participant } = await createWorld(server);
  using caller = await plainStyles['dedicated HTTP'](server.url);
  const operation = operationNamed('setUserScore');
  const set = (fields: object) =>
    caller.call(operation, { launcherJwt: owner.launcherJwt, score: 1, ...fields });
  const own = {
    gameId,
    walletAddress: owner.wallet,
    normalizedAddress: owner.wallet.toUpperCase().replace('X', 'x'),
  };
  expect((await set(own)).status).toBe(200);
  expect(await set({ ...own, walletAddress: participant.wallet })).toMatchObject(
    refusal(operation, 'walletAddress'),
  );
  expect(await set({ gameId: crypto.randomUUID() })).toMatchObject(refusal(operation, 'gameId'));
});

describe.each(Object.entries(adminStyles))('by %s', (_, { open }) => {
  test.each(adminOperations.filter(strict))(
    '$name refuses a field that it does not know',
    async (operation) => {
      const world = await createWorld(server);
      using caller = await open(server);
      const input = await caseOf(operation).input(world, 'administrator');
      const answer = await caller.call(operation, { ...input, byName: 'x' });
      expect(answer).toMatchObject(refusal(operation, 'byName'));
    },
  );
});

test('a parameter that a browser or a proxy adds to a GET is ignored', async () => {
  const { gameId } = await createWorld(server);
  const answer = await fetch(`${server.url}/activities?gameId=${gameId}&_=1790000000000`);
  expect(answer.status).toBe(200);
});

test('a name that may be a secret is not repeated', async () => {
  const { owner } = await createWorld(server);
  using caller = await plainStyles['dedicated HTTP'](server.url);
  const secret = 'ab'.repeat(32);
  const input = { launcherJwt: owner.launcherJwt, score: 1, [secret]: 'x' };
  const answer = await caller.call(operationNamed('setUserScore'), input);
  expect(answer).toMatchObject(refusal(operationNamed('setUserScore'), ''));
  expect(answer.text).not.toContain(secret);
});

test('a participant who was to be removed by a misspelled field stays, and so does the caller', async () => {
  const world = await createWorld(server);
  using caller = await plainStyles['method dispatch'](server.url);
  const { launcherJwt } = world.owner;
  const call = (name: string, input: object): Promise<Answer> =>
    caller.call(operationNamed(name), { launcherJwt, ...input });
  const { channelId, participant } = world;
  const misspelled = { channelId, byWallet: participant.wallet };
  const refused = refusal(operationNamed('removeParticipant'), 'byWallet');
  expect(await call('removeParticipant', misspelled)).toMatchObject(refused);
  const batch = await call('batch', { operations: [{ method: 'removeParticipant', data: misspelled }] });
  expect(batch.body).toMatchObject({ errors: [{ path: 'operations.0.data.byWallet' }] });
  const { body } = await call('getChannelParticipants', { channelId });
  const wallets = (body as { participants: { wallet: string }[] }).participants.map(({ wallet }) => wallet);
  expect(wallets).toEqual(expect.arrayContaining([world.owner.wallet, participant.wallet]));
});

test('a misspelled version of one of several states does not overwrite it', async () => {
  const { owner } = await createWorld(server);
  using caller = await plainStyles['dedicated HTTP'](server.url);
  const answer = await caller.call(operationNamed('setStates'), {
    launcherJwt: owner.launcherJwt,
    states: [{ label: 'save', state: '{}', ifversion: 7 }],
  });
  expect(answer).toMatchObject({
    status: 400,
    body: { errors: [{ path: 'states.0', message: 'has unknown fields: ifversion' }] },
  });
});
