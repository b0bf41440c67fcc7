import { expect } from 'vitest';
import { addEvent } from '../../../src/features/calendar/commands.ts';
import { putMaintenance } from '../../../src/features/maintenance/commands.ts';
import { scopeOf } from '../../../src/features/maintenance/maintenance.ts';
import { listMaintenanceRows } from '../../../src/features/maintenance/queries.ts';
import type { World } from '../../support/world.ts';
import { anyone } from '../access.ts';
import type { AdminCases, LauncherCases } from '../operation-case.ts';

const key = 'winter';
/** Times of 2040, so that nothing is active. */
const startsAt = Date.UTC(2040, 0, 1);
const endsAt = Date.UTC(2040, 0, 8);
const times = { startsAt, endsAt, durationMs: null, cron: null, timeZone: 'UTC' };
const message = 'A new version is being installed';

const summary = {
  key,
  title: 'Winter',
  data: { bonus: 2 },
  active: false,
  current: null,
  next: { startsAt, endsAt },
};
const record = {
  ...summary,
  gameId: '<game>',
  ...times,
  version: 1,
  createdAt: '<time>',
  updatedAt: '<time>',
};

const planned = { gameId: '<game>', from: startsAt, until: endsAt, message };

/** The owner's game has an event and planned maintenance; created if missing. */
async function withEvent({ server, gameId }: World): Promise<void> {
  const event = { key, title: 'Winter', data: { bonus: 2 }, ...times };
  await server.services.db.write(addEvent, gameId, event).catch(() => undefined);
}

async function withMaintenance({ server, gameId }: World): Promise<void> {
  const { db } = server.services;
  const known = await db.read(listMaintenanceRows);
  if (known.some(({ scope }) => scope === scopeOf(gameId))) return;
  await db.write(putMaintenance, { gameId, from: startsAt, until: endsAt, message });
}

export const calendarCases = {
  getEvents: {
    async input(world) {
      await withEvent(world);
      return { gameId: world.gameId };
    },
    answer: { success: true, events: [summary] },
    access: anyone,
  },
  getMaintenance: {
    async input(world) {
      await withMaintenance(world);
      return { gameId: world.gameId };
    },
    answer: { success: true, maintenance: [planned] },
    access: anyone,
  },
} satisfies Partial<LauncherCases>;

export const calendarAdminCases = {
  createEvent: {
    input: ({ gameId }) => ({
      gameId,
      key: 'happy-hour',
      startsAt,
      durationMs: 3_600_000,
      cron: '0 18 * * 5',
      timeZone: 'Europe/Berlin',
    }),
    answer: {
      success: true,
      event: {
        ...record,
        key: 'happy-hour',
        title: '',
        data: {},
        endsAt: null,
        durationMs: 3_600_000,
        cron: '0 18 * * 5',
        timeZone: 'Europe/Berlin',
        next: { startsAt: Date.UTC(2040, 0, 6, 17), endsAt: Date.UTC(2040, 0, 6, 18) },
      },
    },
  },
  updateEvent: {
    async input(world) {
      await withEvent(world);
      return { gameId: world.gameId, key, title: 'Winter fair' };
    },
    answer: { success: true, event: { ...record, title: 'Winter fair', version: 2 } },
  },
  removeEvent: {
    async input(world) {
      await withEvent(world);
      return { gameId: world.gameId, key };
    },
    answer: { success: true },
  },
  listGameEvents: {
    async input(world) {
      await withEvent(world);
      return { gameId: world.gameId };
    },
    answer: { success: true, events: [record] },
  },
  setMaintenance: {
    input: ({ gameId }) => ({ gameId, from: startsAt, until: endsAt, message }),
    answer: { success: true, maintenance: planned },
  },
  endMaintenance: {
    async input(world) {
      await withMaintenance(world);
      return { gameId: world.gameId };
    },
    answer: { success: true },
  },
  listMaintenance: {
    async input(world) {
      await withMaintenance(world);
      return {};
    },
    answer: { success: true, maintenance: expect.arrayContaining([planned]) },
  },
} satisfies Partial<AdminCases>;
