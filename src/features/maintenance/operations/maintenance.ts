import { z } from 'zod';
import { everyRole, operators } from '../../../core/schemas/admin-role.ts';
import { idInput, success } from '../../../core/schemas/fields.ts';
import type { Store } from '../../../core/storage/store.ts';
import { gameInput, requireNamedGame } from '../../games/require-game.ts';
import { defineAdminOperation, defineOperation } from '../../operation.ts';
import { finishMaintenance, putMaintenance } from '../commands.ts';
import {
  maintenanceMessage,
  maintenanceRecord,
  maintenanceTime,
  toMaintenanceRecord,
} from '../maintenance.ts';
import type { MaintenanceWatch } from '../maintenance-watch.ts';
import { listMaintenanceRows } from '../queries.ts';
import type { MaintenanceRow } from '../tables.ts';

const listed = z.object({ success, maintenance: z.array(maintenanceRecord) });
const scope = {
  gameId: idInput.nullable().default(null).meta({ description: 'The game; omitted or null: all games' }),
};

export const getMaintenance = defineOperation({
  name: 'getMaintenance',
  service: 'launcher',
  kind: 'read',
  summary: 'Get the current and planned maintenance of all games and of one game, earliest first',
  auth: 'public',
  input: z.object({
    gameId: gameInput.optional().meta({ description: 'Id or slug; omitted: only that of all games' }),
  }),
  output: listed,
  async handler({ input }, { db }: { db: Store }) {
    const game = input.gameId === undefined ? null : await requireNamedGame(db, input.gameId);
    const rows = await db.read(listMaintenanceRows);
    return answer(
      rows.filter(({ gameId }) => gameId === null || gameId === game?.id),
      db.now(),
    );
  },
});

export const listMaintenance = defineAdminOperation({
  name: 'listMaintenance',
  kind: 'read',
  summary: 'List current and planned maintenance, earliest first',
  roles: everyRole,
  input: z.object({}),
  output: listed,
  async handler(_request, { db }: { db: Store }) {
    return answer(await db.read(listMaintenanceRows), db.now());
  },
});

export const setMaintenance = defineAdminOperation({
  name: 'setMaintenance',
  kind: 'write',
  summary: 'Plan, start or change maintenance, during which writes and new sessions are refused',
  roles: operators,
  input: z.object({
    ...scope,
    from: maintenanceTime.optional().meta({ description: 'When it begins; omitted: now' }),
    until: maintenanceTime.meta({ description: 'When it ends; `endMaintenance` ends it earlier' }),
    message: maintenanceMessage.default('').meta({ description: 'Shown to players' }),
  }),
  output: z.object({ success, maintenance: maintenanceRecord }),
  async handler({ input }, { db, maintenance }: MaintenanceServices) {
    const record = await db.write(putMaintenance, { ...input, from: input.from ?? db.now() });
    await maintenance.refresh();
    return { success: true, maintenance: record };
  },
});

export const endMaintenance = defineAdminOperation({
  name: 'endMaintenance',
  kind: 'write',
  summary: 'End the maintenance of a game or of all games, or cancel it before it begins',
  roles: operators,
  input: z.object(scope),
  output: z.object({ success }),
  async handler({ input: { gameId } }, { db, maintenance }: MaintenanceServices) {
    await db.write(finishMaintenance, gameId);
    await maintenance.refresh();
    return { success: true };
  },
});

interface MaintenanceServices {
  db: Store;
  maintenance: MaintenanceWatch;
}

function answer(rows: readonly MaintenanceRow[], now: number) {
  const open = rows.filter(({ until }) => until > now);
  const inOrder = open.toSorted((one, other) => one.startsAt - other.startsAt);
  return { success: true, maintenance: inOrder.map(toMaintenanceRecord) };
}
