import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type SeenField, textFieldsOf } from '../../src/core/schemas/seen-text.ts';
import { changeGame } from '../../src/features/administration/commands.ts';
import { acceptFriend, addFriend } from '../../src/features/friends/commands.ts';
import type { GamePolicies } from '../../src/features/games/game.ts';
import { mute } from '../../src/features/moderation/commands.ts';
import type { AnyOperation } from '../../src/features/operation.ts';
import { findPlayer } from '../../src/features/players/queries.ts';
import { addLeaderboard } from '../../src/features/scores/leaderboard-commands.ts';
import { type Answer, type CallStyle, ownStyles, plainStyles } from '../support/call-styles.ts';
import { post } from '../support/http.ts';
import { launcherOperations, needsOwnConnection, operationNamed } from '../support/registered.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import {
  bearer,
  createWorld,
  credentialFieldsOf,
  headersOf,
  type Role,
  type World,
} from '../support/world.ts';

/** How a field is filled in. */
interface Filling {
  /** The input with this text in the field. */
  input(world: World, text: string): Record<string, unknown> | Promise<Record<string, unknown>>;
  by?: Role;
  /** The wallet of the player whose text it is; the owner's by default. */
  player?(world: World): Promise<string>;
  /** A mute does not refuse the call: see the test of it. */
  isNotRefused?: true;
  /** The player is new with each call, and so not muted. */
  isNewPlayer?: true;
}

/** One entry per form of an operation and field that other players see. */
const fillings: Readonly<Record<string, Filling>> = {
  'setUserScore metadata': { input: withBoard((text) => ({ score: 1, metadata: { hero: [text] } })) },
  'setState label': { input: (_, text) => ({ label: text, state: '{}', public: true }) },
  'setStates states.*.label': {
    input: (_, text) => ({ states: [{ label: text, state: '{}', public: true }] }),
  },
  'patchState label': { input: (_, text) => ({ label: text, patch: '{}', public: true }) },
  'addFriend message': { input: ({ stranger }, text) => ({ wallet: stranger.wallet, message: text }) },
  'sendInvite message': {
    async input(world, text) {
      const { owner, participant } = world;
      const { db } = server.services;
      const request = { wallet: participant.wallet, hasCode: false, message: '', gameId: owner.gameId };
      await db.write(addFriend, owner.wallet, request);
      await db.write(acceptFriend, participant.wallet, owner.wallet);
      return { wallets: [participant.wallet], message: text };
    },
  },
  'sendCustomActivity label': { input: (_, text) => ({ label: text, eventId: 'e' }) },
  'createMessageChannel channelName': {
    input: ({ stranger }, text) => ({ otherParticipants: [stranger.wallet], channelName: text }),
  },
  'createMessageChannel (other form) name': {
    input: ({ stranger }, text) => ({ otherParticipants: [{ wallet: stranger.wallet }], name: text }),
  },
  'sendChannelMessage content': { input: ({ channelId }, text) => ({ channelId, content: text }) },
  'editChannelMessage newContent': { input: ({ messageId }, text) => ({ messageId, newContent: text }) },
  'editGroupInfo name': { input: ({ channelId }, text) => ({ channelId, name: text }) },
  'editGroupInfo chatPicture': { input: ({ channelId }, text) => ({ channelId, chatPicture: text }) },
  'editGroupInfo (other form) newTitle': {
    input: ({ channelId }, text) => ({ messageChannelId: channelId, newTitle: text }),
  },
  'editGroupInfo (other form) newImage': {
    input: ({ channelId }, text) => ({ messageChannelId: channelId, newImage: text }),
  },
  'setStatus text': { input: (_, text) => ({ status: 'busy', text }), by: 'launcher' },
  'setRichPresence details': { input: (_, text) => ({ details: text }) },
  'addReaction reaction': { input: ({ messageId }, text) => ({ messageId, reaction: text }) },
  'createGuest username': { input: ({ gameId }, text) => ({ gameId, username: text }), isNewPlayer: true },
  'vouchForPlayer username': {
    input: (_, text) => ({ playerId: 'steam:1', username: text }),
    by: 'gameServer',
    isNotRefused: true,
  },
  'setUsername username': { input: (_, text) => ({ username: text }), by: 'launcher' },
  'updatePlayerProfile username': {
    input: async (world, text) => ({ wallet: await vouchedGuest(world), username: text }),
    by: 'gameServer',
    player: vouchedGuest,
  },
  'muteParticipant reason': {
    input: ({ channelId, participant }, text) => ({
      channelId,
      wallet: participant.wallet,
      seconds: 60,
      reason: text,
    }),
  },
};

/** The guest whom the game's server vouches for. */
async function vouchedGuest({ gameSecret }: World): Promise<string> {
  const named = { playerId: 'steam:1' };
  const answer = await post(`${server.url}/launcher/vouch-for-player`, named, bearer(gameSecret));
  return (answer.body as { wallet: string }).wallet;
}

/** A score on a leaderboard with a name, which is created. */
function withBoard(score: (text: string) => Record<string, unknown>): Filling['input'] {
  return async ({ server, gameId }, text) => {
    const board = { keep: 'best', order: 'desc', entries: 'player' } as const;
    const { services } = server;
    await services.db
      .write(addLeaderboard, gameId, {
        ...board,
        labels: [],
        name: 'weekly',
        public: true,
        schedule: null,
        keepSeasons: null,
      })
      .catch(() => undefined); // there already
    return { leaderboard: 'weekly', ...score(text) };
  };
}

interface Declared {
  name: string;
  operation: AnyOperation;
  isOtherForm: boolean;
  field: SeenField;
}

const declared: Declared[] = launcherOperations.filter(writes).flatMap((operation) => {
  const { name, input, otherForm } = operation;
  const own = textFieldsOf(input).seen.map((field) => ({
    name: `${name} ${field.path.join('.')}`,
    operation,
    isOtherForm: false,
    field,
  }));
  const other = otherForm ? textFieldsOf(otherForm.input).seen : [];
  const inOther = other.map((field) => ({
    name: `${name} (other form) ${field.path.join('.')}`,
    operation,
    isOtherForm: true,
    field,
  }));
  return [...own, ...inOther];
});

function writes({ kind }: AnyOperation): boolean {
  return kind !== 'read';
}

describe('every field of a write by a player or a game', () => {
  test.each(launcherOperations.filter(writes))(
    'says whether other players see its texts: $name',
    ({ input, dispatchInput = input, otherForm }) => {
      for (const form of [input, dispatchInput, ...(otherForm ? [otherForm.input] : [])]) {
        expect(textFieldsOf(form).undeclared).toEqual([]);
      }
      const paths = (form: typeof input) => textFieldsOf(form).seen.map(({ path }) => path);
      expect(paths(dispatchInput)).toEqual(paths(input));
    },
  );

  test('that others see is filled in below', () => {
    expect(Object.keys(fillings).toSorted()).toEqual(declared.map(({ name }) => name).toSorted());
  });
});

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const styles: [string, CallStyle][] = Object.entries(ownStyles);

describe.each(styles)('over %s', (style, connect) => {
  const signsIn = style === 'Socket.IO, signed in';
  const reachable = declared.filter(
    ({ isOtherForm, operation }) =>
      (!isOtherForm || style !== 'dedicated HTTP') && needsOwnConnection(operation) === signsIn,
  );

  async function call(world: World, { name, operation }: Declared, text: string): Promise<Answer> {
    const { input, by = 'owner' } = fillings[name] ?? {};
    if (!input) throw new Error(`${name} is not filled in`);
    using caller = await connect(server.url);
    const sent = { ...credentialFieldsOf(world, by), ...(await input(world, text)) };
    return await caller.call(operation, sent, headersOf(world, by)); // before the connection ends
  }

  test.each(reachable)('the word filter applies to $name', async (one) => {
    const world = await createWorld(server);
    const allowed = await call(world, one, 'fine_it');
    expect(allowed).toMatchObject({ status: 200 });
    for (const action of ['reject', 'mask'] as const) {
      await setFilter(world, { action, words: ['darn'] });
      const answer = await call(world, one, 'darn_it');
      if (action === 'mask' && one.field.as !== 'name') {
        expect(answer).toMatchObject({ status: 200, text: expect.not.stringContaining('darn') });
      } else expect(answer.body).toMatchObject({ code: 400, data: { reason: 'words_not_allowed' } });
    }
    expect((await call(world, one, 'finer_it')).status).toBe(200);
  });

  test.each(reachable.filter(({ field }) => field.as === 'name'))(
    'hidden characters never reach others through $name',
    async (one) => {
      const world = await createWorld(server);
      for (const hidden of ['\u202e', '\u200b', '\u3164', '\n', '\0', '\ue000']) {
        const answer = await call(world, one, `fine${hidden}it`);
        if (fillings[one.name]?.isNotRefused)
          expect(answer.status).toBe(200); // it is cleaned
        else {
          const path = one.field.path.join('.').replace('*', '0');
          expect(answer.body).toMatchObject({ code: 400, errors: [{ path }] });
        }
      }
    },
  );

  const mutable = ({ isNotRefused, isNewPlayer }: Partial<Filling> = {}) => !isNotRefused && !isNewPlayer;
  test.each(reachable.filter(({ name }) => mutable(fillings[name])))(
    'a mute in the game refuses $name until it ends',
    async (one) => {
      const world = await createWorld(server);
      const wallet = (await fillings[one.name]?.player?.(world)) ?? world.owner.wallet;
      await muteIn(world, wallet, 60);
      const answer = await call(world, one, 'fine_it');
      expect(answer.body).toMatchObject({
        code: 403,
        message: expect.stringContaining('You are muted in this game until'),
        data: { reason: 'muted', retryAfterSeconds: expect.any(Number) },
      });
      if (one.field.mute === 'call') {
        const path = one.field.path.join('.');
        expect(answer.body).toMatchObject({
          errors: [{ path }],
          message: expect.stringMatching(`^${path}: `),
        });
      }
      await muteIn(world, wallet, 0);
      expect(await call(world, one, 'fine_it')).toMatchObject({ status: 200 });
    },
  );
});

describe('a muted player', () => {
  test('still plays: scores without metadata, private states and emptied names go on', async () => {
    const world = await createWorld(server);
    const { owner, channelId } = world;
    await muteIn(world, world.owner.wallet, 60);
    using caller = await plainStyles['method dispatch'](server.url);
    const { launcherJwt } = owner;
    for (const [name, input] of [
      ['setUserScore', { score: 1 }],
      ['setUserScore', await withBoard(() => ({ score: 1 }))(world, '')],
      ['setUserScore', await withBoard(() => ({ score: 1, metadata: {} }))(world, '')],
      ['setState', { label: 'save', state: '{}' }],
      ['patchState', { label: 'save', patch: '{}', public: false }],
      ['createMessageChannel', { otherParticipants: [world.stranger.wallet] }],
      ['editGroupInfo', { channelId, name: '' }],
      ['unsendChannelMessage', { messageId: world.messageId }],
    ] as const) {
      const answer = await caller.call(operationNamed(name), { launcherJwt, ...input });
      expect(answer, `${name} ${JSON.stringify(input)}`).toMatchObject({ status: 200 });
    }
  });

  test('goes on writing states that were public before, and makes no others public', async () => {
    const world = await createWorld(server);
    using caller = await plainStyles['method dispatch'](server.url);
    const set = (label: string, more: object = {}) =>
      caller.call(operationNamed('setState'), {
        launcherJwt: world.owner.launcherJwt,
        label,
        state: '{}',
        ...more,
      });
    await set('loadout', { public: true });
    await muteIn(world, world.owner.wallet, 60);
    expect((await set('loadout')).status).toBe(200);
    expect((await set('loadout', { public: true })).status).toBe(200);
    const refused = await set('save', { public: true });
    expect(refused.body).toMatchObject({ data: { reason: 'muted' }, errors: [{ path: 'public' }] });
    expect((await set('loadout', { public: false })).status).toBe(200);
    expect((await set('loadout', { public: true })).body).toMatchObject({ data: { reason: 'muted' } });
  });

  test('signs in by vouching, under the name from before', async () => {
    const world = await createWorld(server);
    const { db } = server.services;
    using caller = await plainStyles['method dispatch'](server.url);
    const vouch = async (username: string) => {
      const input = { playerId: 'steam:2', username };
      const { body } = await caller.call(
        operationNamed('vouchForPlayer'),
        input,
        headersOf(world, 'gameServer'),
      );
      const { wallet } = body as { wallet: string };
      return { wallet, username: (await db.read(findPlayer, wallet))?.username };
    };
    const { wallet } = await vouch('Ada');
    await db.write(mute, { gameId: world.gameId, wallet }, null, 'moderator', { seconds: 60, reason: '' });
    expect(await vouch('Somebody else')).toEqual({ wallet, username: 'Ada' });
    expect(await vouch('')).toEqual({ wallet, username: '' });
  });

  test('is refused in a batch as a whole, and when the game server acts for them', async () => {
    const world = await createWorld(server);
    await muteIn(world, world.owner.wallet, 60);
    using caller = await plainStyles['method dispatch'](server.url);
    const data = { label: 'fine', eventId: 'e' };
    const operations = [
      { method: 'setUserScore', data: { score: 987_654_321 } },
      { method: 'sendCustomActivity', data },
    ];
    const { launcherJwt, wallet } = world.owner;
    const batch = await caller.call(operationNamed('batch'), { launcherJwt, operations });
    expect(batch.body).toMatchObject({
      data: { reason: 'muted' },
      errors: [{ path: 'operations.1.data.label' }],
    });
    const headers = headersOf(world, 'gameServer');
    const byServer = await caller.call(operationNamed('sendCustomActivity'), { wallet, ...data }, headers);
    expect(byServer.body).toMatchObject({ data: { reason: 'muted' } });
    const score = await caller.call(operationNamed('getUserScore'), { launcherJwt });
    expect(score.text).not.toContain('987654321');
  });

  test('gets the first answer again with an idempotency key that was used before the mute', async () => {
    const world = await createWorld(server);
    using caller = await plainStyles['method dispatch'](server.url);
    const input = {
      label: 'fine',
      eventId: 'e',
      launcherJwt: world.owner.launcherJwt,
      idempotencyKey: 'once',
    };
    const first = await caller.call(operationNamed('sendCustomActivity'), input);
    await muteIn(world, world.owner.wallet, 60);
    const again = await caller.call(operationNamed('sendCustomActivity'), input);
    expect([first.status, again.body]).toEqual([200, first.body]);
  });
});

async function setFilter({ gameId, launcherGameId }: World, wordFilter: GamePolicies['wordFilter']) {
  for (const id of [gameId, launcherGameId]) {
    await server.services.db.write(changeGame, id, { policies: { wordFilter } });
  }
}

/** In the game, and in the launcher. */
async function muteIn({ gameId, launcherGameId }: World, wallet: string, seconds: number) {
  for (const id of [gameId, launcherGameId]) {
    await server.services.db.write(mute, { gameId: id, wallet }, null, 'server', { seconds, reason: '' });
  }
}
