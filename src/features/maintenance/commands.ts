import { GantryError, invalidField } from '../../core/errors.ts';
import { command, type Steps } from '../../core/storage/command.ts';
import { games } from '../games/tables.ts';
import { notifyAllWebhooks, notifyWebhooks } from '../webhooks/report.ts';
import { webhookEventOfMaintenance } from '../webhooks/webhook-events.ts';
import { type MaintenanceRecord, scopeOf, toMaintenanceRecord } from './maintenance.ts';
import { type MaintenanceRow, maintenance } from './tables.ts';

/** The worker that announces maintenance: see `MaintenanceWatch`. */
export const maintenanceWorkerName = 'maintenance';

/**
 * Plans or starts the maintenance of a game, or of all (null), or changes it.
 * @throws GantryError `game_unknown`, `input_invalid` when it would be over already
 */
export const putMaintenance = command(
  'putMaintenance',
  function* (tx, { gameId, from, until, message }: MaintenanceRecord): Steps<MaintenanceRecord> {
    if (gameId !== null && !(yield* tx.lock(games, gameId))) {
      throw new GantryError('game_unknown', 'There is no game with this id or slug');
    }
    if (until <= tx.now) throw invalidField('until', 'must be in the future');
    if (until <= from) throw invalidField('until', 'must be after from');
    const row: MaintenanceRow = {
      scope: scopeOf(gameId),
      gameId,
      startsAt: from,
      until,
      message,
      announceAt: tx.now,
      updatedAt: tx.now,
    };
    yield* tx.lock(maintenance, row.scope);
    tx.put(maintenance, row);
    tx.wake(maintenanceWorkerName);
    return toMaintenanceRecord(row);
  },
);

/** Ends the maintenance of a game, or of all (null), or cancels it. @throws GantryError `maintenance_unknown` */
export const finishMaintenance = command(
  'finishMaintenance',
  function* (tx, gameId: string | null): Steps<void> {
    const row = yield* tx.lock(maintenance, scopeOf(gameId));
    if (!row || row.until <= tx.now) {
      throw new GantryError(
        'maintenance_unknown',
        'There is no current or planned maintenance of this game, or of all games',
      );
    }
    tx.put(maintenance, { ...row, until: tx.now, announceAt: tx.now, updatedAt: tx.now });
    tx.wake(maintenanceWorkerName);
  },
);

/**
 * Queues the announcement that is due for webhooks, and returns it: once, however many processes call it. Null: none is
 * due. Removes a maintenance that is over.
 */
export const announceMaintenance = command(
  'announceMaintenance',
  function* (tx, scope: string): Steps<MaintenanceRecord | null> {
    const row = yield* tx.lock(maintenance, scope);
    if (!row || row.announceAt > tx.now) return null;
    const record = toMaintenanceRecord(row);
    const event = webhookEventOfMaintenance(record);
    if (row.gameId === null) yield* notifyAllWebhooks(tx, event);
    else yield* notifyWebhooks(tx, { ...event, gameId: row.gameId });
    if (row.until <= tx.now) tx.remove(maintenance, row);
    else tx.put(maintenance, { ...row, announceAt: row.startsAt > tx.now ? row.startsAt : row.until });
    return record;
  },
);
