import { afterAll, describe, expect, it } from 'vitest';
import {
  createEvent,
  listGameEvents,
  removeEvent,
  updateEvent,
} from '../../src/features/calendar/operations/calendar.ts';
import { setRules } from '../../src/features/rules/operations/rules.ts';
import { createWebhook } from '../../src/features/webhooks/operations/webhooks.ts';
import { overHttp } from '../support/administration.ts';
import { apiOf } from '../support/api.ts';
import { listen } from '../support/listening-client.ts';
import { startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

const server = await startTestServer({ WEBHOOK_ALLOW_LOOPBACK: 'on' });
afterAll(server.close);
const api = apiOf(server);
const admin = overHttp(server);
const hour = 60 * 60 * 1000;

const listed = async (gameId: string) => (await api.post('/launcher/get-events', { gameId })).body;

describe('the calendar of a game', () => {
  it('shows players what is active and what comes next, and administrators everything', async () => {
    const { gameId } = await server.createGame();
    const startsAt = Date.UTC(2040, 0, 1);
    const fair = { key: 'fair', title: 'Fair', data: { bonus: 2 }, startsAt, endsAt: startsAt + hour };
    const made = {
      ...fair,
      gameId,
      active: false,
      current: null,
      next: { startsAt, endsAt: startsAt + hour },
      durationMs: null,
      cron: null,
      timeZone: 'UTC',
      version: 1,
      createdAt: expect.any(Number),
      updatedAt: expect.any(Number),
    };
    expect(await admin.call(createEvent, { gameId, ...fair })).toEqual({ success: true, event: made });
    const { key, title, data, active, current, next } = made;
    const summary = { key, title, data, active, current, next };
    expect(await listed(gameId)).toEqual({ success: true, events: [summary] });

    const from = Date.now() - hour;
    const running = { gameId, key: 'now', startsAt: from, durationMs: 2 * hour, timeZone: 'Europe/Berlin' };
    await admin.call(createEvent, running);
    const occurrence = { startsAt: from, endsAt: from + 2 * hour };
    const now = { key: 'now', title: '', data: {}, active: true, current: occurrence, next: null };
    expect(await listed(gameId)).toEqual({ success: true, events: [summary, now] });

    await expect(admin.call(updateEvent, { gameId, key: 'now', ifVersion: 2, title: 'x' })).rejects.toThrow(
      'version 1',
    );
    const over = {
      gameId,
      key: 'now',
      ifVersion: 1,
      startsAt: from,
      endsAt: Date.now() + 500,
      durationMs: null,
    };
    expect((await admin.call(updateEvent, over)).event).toMatchObject({ version: 2, active: true });
    await until('it is over', async () => JSON.stringify(await listed(gameId)).includes('now') === false);
    expect((await admin.call(listGameEvents, { gameId })).events.map((event) => event.key)).toEqual([
      'fair',
      'now',
    ]);
    expect(await admin.call(removeEvent, { gameId, key: 'fair' })).toEqual({ success: true });
    expect(await listed(gameId)).toEqual({ success: true, events: [] });
  });

  it('tells followers and webhooks of each start and end, with data', async () => {
    const { gameId } = await server.createGame();
    const { launcherJwt } = await server.openSession(gameId);
    await using receiver = await startWebhookReceiver();
    const { secret } = await admin.call(createWebhook, {
      gameId,
      url: receiver.url,
      filter: 'event-callbacks',
    });
    receiver.secrets.push(secret);
    using listening = listen({ url: server.url, launcherJwt });
    await listening.client.ready();
    await listening.client.subscribe();
    const startsAt = Date.now();
    const times = { startsAt, endsAt: startsAt + 600 };
    await admin.call(createEvent, { gameId, key: 'fair', title: 'Fair', data: { bonus: 2 }, ...times });
    const record = { gameId, key: 'fair', title: 'Fair', data: { bonus: 2 }, ...times };
    const told = () => listening.received.filter(({ name }) => name.startsWith('events '));
    await until('the end', () => told().some(({ name }) => name === 'events ended'));
    expect(told().map((one) => [one.name, one.record])).toMatchObject([
      ['events started', record],
      ['events ended', record],
    ]);
    const types = () =>
      receiver.received.flatMap(({ type }) => (type.startsWith('events.') ? [type] : [])).toSorted();
    await until('the webhooks', () => types().length === 2);
    expect(types()).toEqual(['events.ended', 'events.started']);
  });

  it('lets rules ask whether an event is active, by its times', async () => {
    const { gameId } = await server.createGame();
    const { launcherJwt } = await server.openSession(gameId);
    const during = (active: boolean) => ({
      type: 'Notify' as const,
      message: active ? 'during' : 'outside',
      notificationType: 'success' as const,
      conditions: [{ type: 'event-condition' as const, key: 'fair', active }],
    });
    await admin.call(setRules, {
      gameId,
      rules: [{ trigger: 'win', actions: [during(true), during(false)] }],
    });
    const told = async (expected: string[]) => {
      await api.post('/launcher/trigger-rules-engine', { launcherJwt, trigger: 'win' });
      const { body } = await api.post('/launcher/list-notifications', { launcherJwt });
      const { notifications } = body as { notifications: { message: string }[] };
      expect(notifications.map(({ message }) => message).toSorted()).toEqual(expected);
    };
    await told([]); // there is no such event
    await admin.call(createEvent, { gameId, key: 'fair', startsAt: Date.UTC(2040, 0), durationMs: hour });
    await told(['outside']);
    await admin.call(updateEvent, { gameId, key: 'fair', startsAt: Date.now() - 1_000 });
    await told(['during', 'outside']);
  });
});
