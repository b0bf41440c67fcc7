import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { type Driver, type DriverClient, type OpenOptions, refusalOf } from './driver.ts';
import { type Fault, type Frame, ScriptedServer } from './scripted-server.ts';
import { testUnreachable } from './unreachable-rules.ts';

const launcherJwt = 'a token';
const player = 'player:a game:0xb2';
const channel = 'channel:one';
const game = 'game:a game';

const note = (id: string, message = id) => ({
  name: 'notifications created',
  record: { _id: id, gameId: 'a game', normalizedAddress: '0xb2', message, type: 'success', createdAt: 1 },
});
const message = (number: number) => ({
  name: 'chat-messages created',
  record: {
    _id: `m${number}`,
    channelId: 'one',
    senderId: '0xa1',
    content: `message ${number}`,
    createdAt: number,
    updatedAt: number,
  },
});

/** Deterministic numbers in [0, 1) for a seed: mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Drops, repeats, delays and disconnects, determined by the seed. */
function faultOf(random: () => number): Fault {
  return {
    breaks: true,
    change(frames) {
      const sent: Frame[] = [];
      const kept = frames.slice(0, Math.ceil(frames.length * (0.3 + random() * 0.7)));
      for (const frame of kept) {
        const chance = random();
        if (chance < 0.05) continue;
        sent.push(frame);
        if (chance < 0.2) sent.push(frame);
        else if (chance < 0.25 && sent.length > 1) sent.push(...sent.splice(-2).reverse());
        else if (chance < 0.3) sent.push(sent[Math.floor(random() * sent.length)] ?? frame);
      }
      return sent;
    },
  };
}

/**
 * The behaviour required of every SDK by PROTOCOL.md and the page about SDKs, on a scripted server behind a scripted
 * network, tested through the driver that `start` provides.
 */
export function describeClientRules(start: () => Promise<Driver>): void {
  let driver: Driver;
  beforeAll(async () => {
    driver = await start();
  });
  afterAll(() => driver?.[Symbol.asyncDispose]());
  testUnreachable(() => driver);

  async function opened(server: ScriptedServer, options: Partial<OpenOptions> = {}): Promise<DriverClient> {
    const client = await driver.open({ url: server.url, launcherJwt, ...options });
    await client.ready();
    return client;
  }

  const seqsOf = ({ received }: DriverClient, stream: string) =>
    received.filter(({ meta }) => meta.stream === stream && !meta.late).map(({ meta }) => meta.seq);
  const from = (first: number, last: number) =>
    Array.from({ length: last - first + 1 }, (_, index) => first + index);

  test.each([1, 2, 3])(
    'events arrive once and in order through drops, repeats, delays and disconnects (%i)',
    async (seed) => {
      await using server = await ScriptedServer.start();
      const random = randomOf(seed);
      for (const stream of [player, channel, game]) server.stream(stream);
      const client = await opened(server);
      server.faults.push(...Array.from({ length: 7 }, () => faultOf(random)));
      for (let number = 1; number <= 40; number++) {
        server.add(channel, message(number));
        if (number === 4) server.break();
        if (number % 2 === 0) server.add(player, note(`n${number}`));
        if (number % 4 === 0) {
          server.add(game, { name: 'activities created', record: { _id: `a${number}` } });
        }
      }
      // The first, the broken one, one for each fault, and a good one.
      await until('every fault', () => server.handshakes.length >= 9 && server.faults.length === 0);
      await until(
        'the end of every stream',
        () =>
          seqsOf(client, channel).at(-1) === 40 &&
          seqsOf(client, player).at(-1) === 20 &&
          seqsOf(client, game).at(-1) === 10,
      );
      expect(seqsOf(client, channel)).toEqual(from(1, 40));
      expect(seqsOf(client, player)).toEqual(from(1, 20));
      expect(seqsOf(client, game)).toEqual(from(1, 10));
      expect(
        client.received.filter(({ name }) => name === 'chat-messages created').map(({ record }) => record),
      ).toEqual(from(1, 40).map((number) => message(number).record));
      await client.close();
    },
  );

  test('an event out of order is not emitted: the client reconnects from its cursor', async () => {
    await using server = await ScriptedServer.start();
    server.stream(channel);
    const client = await opened(server);
    const { epoch, events } = server.stream(channel);
    events.push(message(1), message(2));
    server.send(message(2).name, message(2).record, { stream: channel, epoch, seq: 2 });
    await until('both', () => client.received.length === 2);
    expect(seqsOf(client, channel)).toEqual([1, 2]);
    expect(server.handshakes.at(-1)?.cursors?.[channel]).toEqual({ epoch, seq: 0 });
    await client.close();
  });

  test('unknown events move the cursor and are not emitted; signals are', async () => {
    await using server = await ScriptedServer.start();
    server.stream(channel);
    const client = await opened(server);
    server.add(channel, { name: 'realtime-events skipped', record: {} });
    server.add(channel, { name: 'chat-messages of the future', record: { _id: 'x' } });
    server.send('chat-messages typing', { channelId: 'one', wallet: '0xa1' }, { stream: channel });
    server.add(channel, message(3));
    await until('the message', () => client.received.length === 2);
    expect(client.received.map(({ name, meta }) => [name, meta.seq])).toEqual([
      ['chat-messages typing', undefined],
      ['chat-messages created', 3],
    ]);
    expect((await client.cursors())[channel]?.seq).toBe(3);
    await client.close();
  });

  test('an undelivered notification is emitted once, also after a restart of the game', async () => {
    await using server = await ScriptedServer.start();
    server.stream(player).events.push(note('n1'), note('n2'));
    const { epoch } = server.stream(player);
    const late = (id: string, seq: number): Frame => {
      const { name, record } = note(id);
      return [name, record, { stream: player, epoch, seq, late: true }];
    };
    server.greetings = [late('n1', 1), late('n1', 1), late('n2', 2)];
    const client = await opened(server);
    server.add(player, note('n3'));
    await until('all three', () => client.received.length === 3);
    expect((await client.cursors())[player]?.seq).toBe(3);
    server.greetings = [late('n1', 1), late('n3', 3)];
    const before = server.handshakes.length;
    server.break();
    await until('the second connection', () => server.handshakes.length > before);
    server.greetings = [late('n2', 2), late('n3', 3), late('n0', 0)];
    await until('the cursor in the store', async () => (await client.saved())?.cursors?.[player]?.seq === 3);
    await client.close();
    const again = await opened(server, { saved: await client.saved() });
    await until('the one that is new', () => again.received.length > 0);
    expect(again.received.map(({ record }) => record._id)).toEqual(['n0']);
    expect(client.received.map(({ record }) => record._id)).toEqual(['n1', 'n2', 'n3']);
    await again.close();
  });

  test('a restart with the saved state misses nothing and repeats nothing', async () => {
    await using server = await ScriptedServer.start();
    server.stream(channel);
    const client = await opened(server);
    for (const number of [1, 2, 3]) server.add(channel, message(number));
    await until('three', () => client.received.length === 3);
    await until('the store', async () => (await client.saved())?.cursors?.[channel]?.seq === 3);
    await client.close();
    for (const number of [4, 5]) server.add(channel, message(number));
    const again = await opened(server, { saved: await client.saved() });
    await until('the others', () => again.received.length === 2);
    expect(seqsOf(again, channel)).toEqual([4, 5]);
    expect(again.resyncs).toEqual([]);
    await again.close();
  });

  test('a stream without its history is reported, and one that is not named is forgotten', async () => {
    await using server = await ScriptedServer.start();
    server.stream(player);
    server.stream(channel);
    const client = await opened(server);
    expect(client.resyncs.toSorted()).toEqual([channel, player]);
    server.add(channel, message(1));
    await until('it', () => client.received.length === 1);
    const one = server.stream(channel);
    one.events.push(message(2), message(3));
    one.trimmed = 3;
    server.streams.delete(player);
    server.break();
    await until('the stream', () => client.resyncs.length === 3);
    expect(client.resyncs.at(-1)).toBe(channel);
    server.add(channel, message(4));
    await until('the next', () => client.received.length === 2);
    expect(seqsOf(client, channel)).toEqual([1, 4]);
    expect(Object.keys(await client.cursors())).toEqual([channel]);
    // Another history: its numbers start again at 1.
    one.epoch = 'second';
    one.events = [message(1)];
    one.trimmed = 0;
    server.break();
    await until('the new history', () => client.resyncs.length === 4);
    server.add(channel, message(2));
    await until('its event', () => client.received.length === 3);
    expect(await client.cursors()).toEqual({ [channel]: { epoch: 'second', seq: 2 } });
    await client.close();
  });

  test('of very many cursors, those of players and games and the latest channels are sent', async () => {
    await using server = await ScriptedServer.start();
    const cursors = Object.fromEntries(
      [player, ...from(1, 1_100).map((number) => `channel:${number}`)].map((name) => [
        name,
        { epoch: 'first', seq: 0 },
      ]),
    );
    server.stream(player);
    const client = await opened(server, { saved: { cursors } });
    const [handshake] = server.handshakes;
    expect(handshake?.partial).toBe(true);
    const sent = Object.keys(handshake?.cursors ?? {});
    expect(sent).toHaveLength(1_000);
    expect(sent).toEqual(expect.arrayContaining([player, 'channel:1100', 'channel:102']));
    expect(sent).not.toContain('channel:1');
    await client.close();
  });

  test('cursors that the server refuses are omitted from the next handshake', async () => {
    await using server = await ScriptedServer.start();
    server.stream(channel);
    server.refusals.push({ code: 400, reason: 'cursors_invalid' });
    const saved = { cursors: { [channel]: { epoch: 'x'.repeat(10), seq: 0 } } };
    const client = await opened(server, { saved });
    expect(server.handshakes.map(({ cursors = {} }) => Object.keys(cursors).length)).toEqual([1, 0]);
    expect(client.resyncs).toEqual([channel]);
    await client.close();
  });

  test('a refused client does not retry; one refused temporarily reconnects when told to', async () => {
    await using server = await ScriptedServer.start();
    server.stream(player);
    server.refusals.push({ code: 401, reason: 'token_invalid' });
    const client = await driver.open({ url: server.url, launcherJwt });
    expect(await refusalOf(client.ready())).toMatchObject({ reason: 'token_invalid', code: 401 });
    expect(client.refusedFor).toBe('token_invalid');
    expect((await refusalOf(client.call('getUserScore'))).code).toBe(401);

    server.refusals.push({ code: 429, reason: 'rate_limited', retryAfterSeconds: 1 });
    const other = await opened(server);
    const [, refused, accepted] = server.handshakes;
    expect(server.handshakes).toHaveLength(3);
    expect((accepted?.at ?? 0) - (refused?.at ?? 0)).toBeGreaterThanOrEqual(990);
    await other.close();
  });

  test('a call that waits for a connection fails for the reason that the connection is refused for', async () => {
    await using server = await ScriptedServer.start();
    server.refusals.push({ code: 503, reason: 'server_busy', retryAfterSeconds: 1 });
    server.refusals.push({ code: 403, reason: 'client_too_old' });
    const client = await driver.open({ url: server.url, gameSecret: 'wrong' });
    const refusal = { reason: 'client_too_old', code: 403, message: 'refused: client_too_old' };
    expect(await refusalOf(client.call('setUserScore', { score: 5 }))).toMatchObject(refusal);
    expect(await refusalOf(client.call('setUserScore', { score: 5 }))).toMatchObject(refusal);
    expect(await refusalOf(client.ready())).toMatchObject(refusal);
    await client.close();
    const closed = await driver.open({ url: 'http://127.0.0.1:1', launcherJwt });
    const waiting = refusalOf(closed.call('setUserScore', { score: 5 }));
    await closed.close();
    expect((await waiting).reason).toBe('client_closed');
    expect((await refusalOf(closed.ready())).reason).toBe('client_closed');
  });

  test('a client whose session ends does not reconnect', async () => {
    await using server = await ScriptedServer.start();
    server.stream(player);
    const client = await opened(server);
    server.endSessions();
    await client.until('ended');
    expect(await refusalOf(client.call('getUserScore'))).toMatchObject({
      reason: 'session_ended',
      code: 401,
    });
    expect(server.handshakes).toHaveLength(1);
  });

  test.each(['socket', 'http'] as const)(
    'over %s, a call is retried after the delay that the server requests',
    async (callOver) => {
      await using server = await ScriptedServer.start();
      server.stream(player);
      const client = await opened(server, { callOver });
      server.outcomes.push({ error: { code: 429, reason: 'rate_limited', retryAfterSeconds: 1 } });
      expect(await client.call('setUserScore', { score: 5 })).toEqual({ success: true });
      const [first, second] = server.calls;
      expect(second?.data).toEqual(first?.data);
      expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(990);

      server.outcomes.push({ error: { code: 429, reason: 'rate_limited', retryAfterSeconds: 3_600 } });
      const long = await refusalOf(client.call('setUserScore', { score: 5 }));
      expect(long).toMatchObject({ reason: 'rate_limited', code: 429, retryAfterSeconds: 3_600 });
      expect(server.calls).toHaveLength(3);
      await client.close();
    },
  );

  test("over HTTP, a proxy's page sets the retry delay by its header", async () => {
    await using server = await ScriptedServer.start();
    server.stream(player);
    const client = await opened(server, { callOver: 'http' });
    server.outcomes.push({ page: { status: 503, retryAfter: '1' } });
    expect(await client.call('getUserScore')).toEqual({ success: true });
    const [first, second] = server.calls;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(990);
    server.outcomes.push({ page: { status: 502 } });
    expect((await refusalOf(client.call('setUserScore', { score: 5 }))).reason).toBe('connection_lost');
    await client.close();
  });

  test.each(['socket', 'http'] as const)(
    'over %s, an unanswered call is retried where that is safe',
    async (callOver) => {
      await using server = await ScriptedServer.start();
      server.stream(player);
      const client = await opened(server, { callOver });
      server.outcomes.push({ breaks: true });
      expect(await client.call('getUserScore')).toEqual({ success: true });
      server.outcomes.push({ breaks: true });
      const input = { score: 5 };
      expect(await client.call('setUserScore', input, { idempotencyKey: 'a key' })).toEqual({
        success: true,
      });
      server.outcomes.push({ breaks: true });
      expect(await refusalOf(client.call('setUserScore', input))).toMatchObject({
        reason: 'connection_lost',
        code: 0,
        retryAfterSeconds: null,
      });
      expect(server.calls.map(({ name, data }) => [name, data.idempotencyKey])).toEqual([
        ['getUserScore', undefined],
        ['getUserScore', undefined],
        ['setUserScore', 'a key'],
        ['setUserScore', 'a key'],
        ['setUserScore', undefined],
      ]);
      await client.close();
    },
  );

  test("an error has its reason, its code, the fields and the server's other details", async () => {
    await using server = await ScriptedServer.start();
    server.stream(player);
    const client = await opened(server);
    const errors = [{ path: 'score', message: 'must be a number' }];
    server.outcomes.push({ error: { code: 400, reason: 'score_not_finite', errors } });
    expect(await refusalOf(client.call('setUserScore', { score: 5 }))).toEqual({
      reason: 'score_not_finite',
      code: 400,
      message: 'refused: score_not_finite',
      retryAfterSeconds: null,
      data: expect.objectContaining({ reason: 'score_not_finite' }),
      errors,
    });
    expect(server.calls).toHaveLength(1);
    await client.close();
  });

  test('queued calls are executed in order with one key each, across disconnects and a restart', async () => {
    await using server = await ScriptedServer.start();
    server.stream(player);
    const client = await opened(server);
    server.outcomes.push(
      { breaks: true },
      { error: { code: 503, reason: 'server_busy', retryAfterSeconds: 1 } },
      { answer: { success: true, number: 1 } },
      { error: { code: 400, reason: 'score_not_integer' } },
      { answer: { success: true, number: 3 } },
      ...Array.from({ length: 50 }, () => ({ breaks: true }) as const),
    );
    // Awaited together: the second may be refused before the first result is awaited.
    const [first, refused, third] = await Promise.all([
      client.queue('setUserScore', { score: 1 }),
      refusalOf(client.queue('setUserScore', { score: 2 })),
      client.queue('setUserScore', { score: 3 }),
    ]);
    expect(first).toEqual({ success: true, number: 1 });
    expect(refused.reason).toBe('score_not_integer');
    expect(third).toEqual({ success: true, number: 3 });
    const keys = server.calls.map(({ data }) => data.idempotencyKey);
    expect(server.calls.map(({ data }) => data.score)).toEqual([1, 1, 1, 2, 3]);
    expect(new Set(keys).size).toBe(3);
    expect(new Set(keys.slice(0, 3)).size).toBe(1);

    void client.queue('setUserScore', { score: 4 }).catch(() => undefined);
    void client.queue('setUserScore', { score: 5 }).catch(() => undefined);
    await until('an attempt', () => server.calls.length > 5);
    await until('both in the store', async () => (await client.saved())?.queue?.length === 2);
    await client.close();
    const saved = await client.saved();
    expect(saved?.queue?.map(({ operation, input }) => [operation, input])).toEqual([
      ['setUserScore', { score: 4 }],
      ['setUserScore', { score: 5 }],
    ]);
    const key = server.calls.at(-1)?.data.idempotencyKey;
    server.outcomes.length = 0;
    server.calls.length = 0;
    const again = await opened(server, { saved });
    await until('both carried out', () => server.calls.length === 2);
    expect(server.calls.map(({ data }) => data.score)).toEqual([4, 5]);
    expect(server.calls[0]?.data.idempotencyKey).toBe(key);
    await until('an empty queue', async () => (await again.saved())?.queue?.length === 0);
    await again.close();
  });

  test('a queued call that was only refused so far does not count as sent', async () => {
    await using server = await ScriptedServer.start();
    server.stream(player);
    const queuedAt = Date.now() - 24 * 60 * 60 * 1000;
    const queue = [{ operation: 'setUserScore', input: { score: 1 }, idempotencyKey: 'a key', queuedAt }];
    const busy = { error: { code: 503, reason: 'server_busy', retryAfterSeconds: 1 } };
    server.outcomes.push(busy, { error: { ...busy.error, retryAfterSeconds: 60 } });
    const client = await opened(server, { saved: { queue } });
    await until('the second refusal', () => server.calls.length === 2);
    await until('not sent', async () => (await client.saved())?.queue?.[0]?.isSent === undefined);
    await client.close();
    server.outcomes.push({ breaks: true }, { error: { ...busy.error, retryAfterSeconds: 60 } });
    const [kept] = (await client.saved())?.queue ?? [];
    if (!kept) throw new Error('the call is not in the store');
    const again = await opened(server, { saved: { queue: [{ ...kept, queuedAt: Date.now() }] } });
    await until('the attempt without an answer, and a refused one', () => server.calls.length === 4);
    await again.call('getUserScore'); // answered after the refusal
    expect((await again.saved())?.queue?.[0]?.isSent).toBe(true);
    server.calls.pop();
    expect(server.calls.map(({ data }) => data.idempotencyKey)).toEqual(Array(4).fill('a key'));
    await again.close();
  });

  test('a call that waited for a day is tried again when its first response is lost, but not a day later', async () => {
    await using server = await ScriptedServer.start();
    server.stream(player);
    const dayMs = 24 * 60 * 60 * 1000;
    const call = { operation: 'setUserScore', input: { score: 1 }, queuedAt: Date.now() - dayMs };
    const queue = [{ ...call, idempotencyKey: 'a key' }];
    const busy = { error: { code: 503, reason: 'server_busy', retryAfterSeconds: 60 } };
    server.outcomes.push({ breaks: true }, busy);
    const client = await opened(server, { saved: { queue } });
    await until('the second attempt', () => server.calls.length === 2);
    expect(server.calls.map(({ data }) => data.idempotencyKey)).toEqual(['a key', 'a key']);
    await client.close();
    const [kept] = (await client.saved())?.queue ?? [];
    if (!kept) throw new Error('the call is not in the store');
    const again = await opened(server, { saved: { queue: [kept] } });
    await until('an empty queue', async () => (await again.saved())?.queue?.length === 0);
    expect(server.calls).toHaveLength(3);
    await again.close();
    const sentAt = Date.now() - dayMs;
    const late = await opened(server, { saved: { queue: [{ ...kept, sentAt, queuedAt: sentAt }] } });
    await until('an empty queue', async () => (await late.saved())?.queue?.length === 0);
    expect(server.calls).toHaveLength(3);
    await late.close();
  });

  test('what may not be sent twice cannot be queued, and a closed client calls nothing and has no other status', async () => {
    await using server = await ScriptedServer.start();
    server.stream(player);
    const client = await opened(server);
    await client.close();
    expect((await refusalOf(client.call('getUserScore'))).reason).toBe('client_closed');
    expect(server.calls).toEqual([]);
    expect(client.statuses.at(-1)).toBe('live');
  });
}
