import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { editMessage, sendMessage, unsendMessage } from '../../src/features/messages/message-commands.ts';
import { apiOf } from '../support/api.ts';
import { nextMillisecond } from '../support/clock.ts';
import { placesHolding } from '../support/data-directory.ts';
import { isOnPostgres } from '../support/engine.ts';
import { faults, itRefuses, requiredString } from '../support/field-faults.ts';
import { accepted, refused } from '../support/outcome.ts';
import { channelMessage, messageChannel, page, unsentMessage } from '../support/records.ts';
import { rowsIn } from '../support/rows-in.ts';
import { startTestServer, type TestPlayer, type TestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

const server = await startTestServer();
afterAll(server.close);
const api = apiOf(server);
const { gameId } = await server.createGame();
const ada = await server.openSession(gameId);
const grace = await server.openSession(gameId);
const channelId = await channelOf(server);

const messages = page(channelMessage);
const loggedEvents = z.array(z.object({ seq: z.int(), name: z.string(), record: z.string() }));

async function channelOf(on: TestServer, from: TestPlayer = ada, to: TestPlayer = grace): Promise<string> {
  const body = { launcherJwt: from.launcherJwt, otherParticipants: [to.wallet] };
  return accepted(await apiOf(on).post('/launcher/create-message-channel', body), messageChannel)._id;
}

async function send({ launcherJwt }: TestPlayer, content: string) {
  const body = { launcherJwt, channelId, content };
  return accepted(await api.post('/launcher/send-channel-message', body), channelMessage);
}

const edit = ({ launcherJwt }: TestPlayer, messageId: string, newContent: string) =>
  api.post('/launcher/edit-channel-message', { launcherJwt, messageId, newContent });

const unsend = ({ launcherJwt }: TestPlayer, messageId: string) =>
  api.post('/launcher/unsend-channel-message', { launcherJwt, messageId });

async function list() {
  const body = { launcherJwt: grace.launcherJwt, channelId, limit: 250 };
  return accepted(await api.post('/launcher/get-channel-messages', body), messages);
}

describe('edit-channel-message', async () => {
  it('returns the whole message, with the change', async () => {
    const message = await send(ada, 'helo');
    await nextMillisecond();
    const edited = accepted(await edit(ada, message._id, 'hello'), channelMessage);
    expect(edited).toEqual({ ...message, content: 'hello', updatedAt: edited.updatedAt });
    expect(edited.updatedAt).toBeGreaterThan(message.updatedAt);
    expect((await list()).data).toContainEqual(edited);
  });

  it('is for the sender only', async () => {
    const message = await send(ada, 'mine');
    refused(await edit(grace, message._id, 'yours'), 401, 'not_the_sender');
    expect((await list()).data).toContainEqual(message);
  });

  it('leaves the message in its place in the list', async () => {
    const first = await send(ada, 'first');
    await nextMillisecond();
    const second = await send(grace, 'second');
    accepted(await edit(ada, first._id, 'first, edited'), channelMessage);
    expect((await list()).data.slice(0, 2).map((one) => one._id)).toEqual([second._id, first._id]);
  });

  it.each(['a', 'a'.repeat(4000), '🎲'.repeat(4000)])('accepts 1 to 4,000 characters', async (content) => {
    const { _id } = await send(ada, 'short');
    expect(accepted(await edit(ada, _id, content), channelMessage).content).toBe(content);
  });

  const { _id: messageId } = await send(ada, 'hello');
  itRefuses(
    api,
    '/launcher/edit-channel-message',
    () => ({ launcherJwt: ada.launcherJwt, messageId, newContent: 'hello' }),
    [
      ...requiredString('messageId'),
      ...requiredString('newContent'),
      ...faults('newContent', ['', 'a'.repeat(4001), '🎲'.repeat(4001)], 'input_invalid'),
    ],
  );
});

describe('unsend-channel-message', () => {
  it("returns success with the message's identity, without its content", async () => {
    const { content, updatedAt, ...identity } = await send(ada, 'never mind');
    const unsent = accepted(await unsend(ada, identity._id), unsentMessage);
    expect(unsent).toMatchObject({ success: true, ...identity });
    expect(unsent.updatedAt).toBeGreaterThanOrEqual(updatedAt);
  });

  it('removes the message from the list and the total', async () => {
    const kept = await send(ada, 'kept');
    const gone = await send(ada, 'gone');
    const before = await list();
    accepted(await unsend(ada, gone._id), unsentMessage);
    const after = await list();
    expect(after.total).toBe(before.total - 1);
    expect(after.data).toEqual(before.data.filter((one) => one._id !== gone._id));
    expect(after.data).toContainEqual(kept);
  });

  it('is refused the second time, and so is a later edit', async () => {
    const { _id } = await send(ada, 'once');
    accepted(await unsend(ada, _id), unsentMessage);
    const again = refused(await unsend(ada, _id), 400, 'message_unknown');
    expect((await unsend(ada, randomUUID())).body).toEqual(again);
    refused(await edit(ada, _id, 'back'), 400, 'message_unknown');
  });

  it('happens once for concurrent calls', async () => {
    const { _id } = await send(ada, 'once');
    const { total } = await list();
    const answers = await Promise.all(Array.from({ length: 5 }, () => unsend(ada, _id)));
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 400, 400, 400, 400]);
    expect((await list()).total).toBe(total - 1);
  });

  it('is for the sender only', async () => {
    const message = await send(ada, 'mine');
    refused(await unsend(grace, message._id), 401, 'not_the_sender');
    expect((await list()).data).toContainEqual(message);
  });

  itRefuses(
    api,
    '/launcher/unsend-channel-message',
    () => ({ launcherJwt: ada.launcherJwt, messageId: 'm' }),
    requiredString('messageId'),
  );
});

describe('the content of an unsent message', () => {
  it('is removed from the event log, before and after its edit; events keep their numbers', async () => {
    const [first, second] = [`first-${randomUUID()}`, `second-${randomUUID()}`];
    const { _id } = await send(ada, first);
    accepted(await edit(ada, _id, second), channelMessage);
    const log = async () =>
      loggedEvents.parse(
        await rowsIn(
          server.services.db,
          `SELECT e.seq, e.name, e.record FROM events AS e JOIN streams AS s ON s.id = e.stream_id
            WHERE e.record LIKE '%' || @id || '%' ORDER BY e.seq`,
          { id: `"_id":"${_id}"` },
        ),
      );
    const before = await log();
    expect(before.map((event) => JSON.parse(event.record).content)).toEqual([first, second]);
    accepted(await unsend(ada, _id), unsentMessage);
    const after = await log();
    expect(after.slice(0, 2).map(({ seq, name }) => ({ seq, name }))).toEqual(
      before.map(({ seq, name }) => ({ seq, name })),
    );
    expect(after.at(-1)?.name).toBe('chat-messages removed');
    expect(JSON.stringify(after)).not.toContain(first);
    expect(JSON.stringify(after)).not.toContain(second);
  });

  it('is gone from every file or table once the server has closed', async () => {
    await using directory = await temporaryDirectory();
    const [first, second] = [`first-${randomUUID()}`, `second-${randomUUID()}`];
    const writing = await startTestServer({ DATA_DIR: directory.path });
    const [from, to] = await twoPlayers(writing);
    const channel = await channelOf(writing, from, to);
    const { db: store } = writing.services;
    const message = await store.write(sendMessage, from, channel, first);
    await store.write(editMessage, from, message._id, second);
    await writing.close(); // everything is in the database file now
    const { config } = writing;
    expect(await placesHolding(config, second)).toEqual(
      isOnPostgres ? ['events', 'messages'] : ['gantry.db'],
    );

    const erasing = await startTestServer({ DATA_DIR: directory.path });
    await erasing.services.db.write(unsendMessage, from, message._id);
    await erasing.close();
    for (const text of [first, second]) expect(await placesHolding(config, text)).toEqual([]);
  });

  it('is gone from every file or table of a server that keeps running', async () => {
    await using running = await startTestServer();
    const [from, to] = await twoPlayers(running);
    const channel = await channelOf(running, from, to);
    const said = `said-${randomUUID()}`;
    const { db: store } = running.services;
    const { _id } = await store.write(sendMessage, from, channel, said);
    expect(await placesHolding(running.config, said)).not.toEqual([]);
    await store.write(unsendMessage, from, _id);
    const isGone = async () => (await placesHolding(running.config, said)).length === 0;
    await until('the erasure', isGone, 3_000);
  });
});

async function twoPlayers(on: TestServer): Promise<[TestPlayer, TestPlayer]> {
  const game = await on.createGame();
  return [await on.openSession(game.gameId), await on.openSession(game.gameId)];
}
