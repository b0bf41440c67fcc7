import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { namesOptionally } from '../../src/calls/unknown-fields.ts';
import { nearestName } from '../../src/core/nearest-name.ts';
import { isName } from '../../src/core/schemas/seen-text.ts';
import type { AnyOperation } from '../../src/features/operation.ts';
import { IgnoredFieldLog } from '../../src/telemetry/ignored-field-log.ts';
import { adminStyles } from '../support/administrators.ts';
import { apiOf } from '../support/api.ts';
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
    'dayStarts',
    'range',
  ],
  'what a list shows of what the caller may see': [
    ...['label', 'prefix', 'kind', 'slug', 'type', 'search', 'present', 'banned', 'status', 'state'],
    ...['outcome', 'id', 'reason', 'operation', 'from', 'to', 'withUnread', 'withPreview', 'unreadOnly'],
    'gameIds',
  ],
  'a value to store, or a setting that is left unchanged': [
    'replyTo',
    'text',
    'details',
    'group',
    'connect',
    'values',
    ...['favorite', 'message', 'requests', 'presence', 'showGame', 'invites', 'searchable', 'showPlaytime'],
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
    ...['title', 'data', 'startsAt', 'endsAt', 'durationMs', 'cron', 'timeZone'],
    ...['message', 'connect', 'favorite'],
    ...['title', 'body', 'pinned', 'publishAt', 'expiresAt', 'notes', 'required'],
    ...['requests', 'presence', 'showGame', 'invites', 'searchable', 'showPlaytime'],
    ...['description', 'tags', 'media', 'ageRating', 'keys'],
  ],
  'how long something lasts, or how long ago it was': [
    'ageMs',
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

describe('an operation that ignores unknown fields', () => {
  const warningOf = async (fields: object, path = 'send-notification') => {
    const { owner } = await createWorld(server);
    const message = { launcherJwt: owner.launcherJwt, message: 'Hello', type: 'success' };
    const headers = { Origin: 'https://game.example' };
    const answer = await apiOf(server).post(`/launcher/${path}`, { ...message, ...fields }, headers);
    expect(answer.headers.get('access-control-expose-headers')).toContain('Gantry-Warning');
    return { status: answer.status, warning: answer.headers.get('gantry-warning') };
  };

  test('tells so in a header, with the field that is probably meant', async () => {
    expect(await warningOf({ expiresInSecond: 60, note: 'x' })).toEqual({
      status: 200,
      warning:
        'expiresInSecond is not a field of sendNotification and was ignored; did you mean expiresInSeconds?; ' +
        'note is not a field of sendNotification and was ignored',
    });
    expect(await warningOf({ 'a: b\r\nSet-Cookie': 'x' })).toEqual({
      status: 200,
      warning: 'A field is not a field of sendNotification and was ignored',
    });
    const many = await warningOf(
      Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`field${at}`, 1])),
    );
    expect(many.warning?.length).toBeLessThanOrEqual(1_000);
  });

  test('tells so when the call is refused, and of the operations of a batch', async () => {
    expect(await warningOf({ message: undefined, mesage: 'Hello' })).toEqual({
      status: 400,
      warning: 'mesage is not a field of sendNotification and was ignored; did you mean message?',
    });
    const operation = { method: 'sendNotification', data: { message: 'a', type: 'error', expires: 1 } };
    const { warning } = await warningOf(
      { message: undefined, type: undefined, operations: [operation] },
      'batch',
    );
    expect(warning).toBe('expires is not a field of sendNotification and was ignored');
  });

  test('tells nothing otherwise: null, and what clients repeat', async () => {
    const { gameId, owner } = await createWorld(server);
    const { launcherJwt, wallet } = owner;
    const message = { launcherJwt, message: 'a', type: 'error', gameId, walletAddress: wallet, note: null };
    const answer = await apiOf(server).post('/launcher/send-notification', message);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('gantry-warning')).toBeNull();
  });

  test('is logged once for each operation, field and game, up to a bound', () => {
    const lines: object[] = [];
    const log = new IgnoredFieldLog({ warn: (line: object) => lines.push(line) });
    const ignored = { operation: 'sendNotification', game: 'a', field: 'note', nearest: undefined };
    for (let call = 0; call < 3; call++) log.add(ignored);
    log.add({ ...ignored, game: 'b' });
    expect(lines).toEqual([ignored, { ...ignored, game: 'b' }]);
    for (let at = 0; at < 500; at++) log.add({ ...ignored, field: `field${at}` });
    expect(lines).toHaveLength(51);
    for (let at = 0; at < 5_000; at++) log.add({ ...ignored, game: `game ${at}` });
    expect(lines).toHaveLength(1_000);
  });
});

test.each([
  ['leaderbord', 'leaderboard'],
  ['leaderBoard', 'leaderboard'],
  ['user_name', 'username'],
  ['gameID', 'gameId'],
  ['nonec', 'nonce'],
  ['byName', undefined],
  ['x', undefined],
])('of %s, %s is meant', (misspelled, meant) => {
  const known = ['gameId', 'nonce', 'leaderboard', 'username', 'wallet'];
  expect(nearestName(misspelled, known)).toBe(meant);
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
