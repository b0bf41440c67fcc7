import { z } from 'zod';
import { id, text, timestamp } from '../../core/schemas/fields.ts';
import { never } from '../../core/schemas/schedule.ts';
import type { MaintenanceRow } from './tables.ts';

export const maintenanceMessage = text(0, 500);
export const maintenanceTime = z.int().min(0).max(never);

/** Writes and new sessions are refused from `from` until `until`. */
export const maintenanceRecord = z
  .object({
    gameId: id.nullable().meta({ description: 'The game; null: all games' }),
    from: timestamp,
    until: timestamp.meta({ description: 'When it ends; over once this time has passed' }),
    message: z.string(),
  })
  .meta({ id: 'Maintenance' });
export type MaintenanceRecord = z.infer<typeof maintenanceRecord>;

export function toMaintenanceRecord({ gameId, startsAt, until, message }: MaintenanceRow): MaintenanceRecord {
  return { gameId, from: startsAt, until, message };
}

/** The key under which the maintenance of a game, or of all, is stored. */
export function scopeOf(gameId: string | null): string {
  return gameId ?? 'all';
}
