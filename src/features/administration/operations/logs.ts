import { z } from 'zod';
import type { Audience } from '../../../core/events/stream.ts';
import { everyRole } from '../../../core/schemas/admin-role.ts';
import { addressInput, idInput, success, text, timestamp } from '../../../core/schemas/fields.ts';
import { pagedOutput, pageOf, paging } from '../../../core/schemas/paging.ts';
import type { Store } from '../../../core/storage/store.ts';
import { type Requests, requestOutcome, requestRecord, slowMs } from '../../../telemetry/recent-requests.ts';
import { type Refusals, refusalRecord } from '../../../telemetry/refusals.ts';
import { readEventLog } from '../../events/queries.ts';
import { defineAdminOperation } from '../../operation.ts';
import { auditEntry } from '../audit-log.ts';
import { readAuditLog } from '../queries.ts';

export const listEvents = defineAdminOperation({
  name: 'listEvents',
  kind: 'read',
  summary: 'List events in commit order; without a cursor, the latest ones',
  roles: everyRole,
  input: z.object({
    after: z
      // Cursors used to be numbers.
      .union([z.string().max(200), z.int().min(0)])
      .transform(String)
      .optional()
      .meta({ description: 'The `cursor` of the previous response' }),
    limit: paging.limit,
  }),
  output: z.object({
    success,
    cursor: z.string().meta({ description: 'Opaque cursor to continue from' }),
    more: z.boolean().meta({ description: 'Whether more events are available now' }),
    events: z.array(
      z.object({
        position: z.int().meta({ description: 'Its position in the commit order' }),
        at: timestamp,
        name: z.string(),
        stream: z.string(),
        seq: z.int(),
        gameId: z.string().meta({ description: 'Empty for events of a player over all games' }),
        wallets: z
          .array(z.string())
          .nullable()
          .meta({ description: 'The recipients; null for all followers of the game' }),
        record: z.unknown(),
      }),
    ),
  }),
  async handler({ input: { after, limit } }, { db }: { db: Store }) {
    const { events, cursor, more } = await db.read(readEventLog, after, limit);
    return {
      success: true,
      cursor,
      more,
      events: events.map(({ position, at, name, stream, seq, audience, record }) => ({
        position,
        at,
        name,
        stream,
        seq,
        ...recipientsOf(audience),
        record: JSON.parse(record),
      })),
    };
  },
});

function recipientsOf(audience: Audience): { gameId: string; wallets: string[] | null } {
  if (audience.kind === 'account') return { gameId: '', wallets: [audience.wallet] };
  return {
    gameId: audience.gameId,
    wallets: audience.kind === 'players' ? [...audience.wallets] : null,
  };
}

export const listAuditLog = defineAdminOperation({
  name: 'listAuditLog',
  kind: 'read',
  summary: "List the audit log's entries, newest first",
  roles: everyRole,
  input: z.object(paging),
  output: pagedOutput(auditEntry),
  async handler({ input }, { db }: { db: Store }) {
    return pageOf(input, await db.read(readAuditLog, input));
  },
});

export const listRefusals = defineAdminOperation({
  name: 'listRefusals',
  kind: 'read',
  summary: 'List calls that the responding node rejected in the last hour, latest first',
  roles: everyRole,
  input: z.object({ reason: text(1, 100).optional(), gameId: idInput.optional(), ...paging }),
  output: pagedOutput(refusalRecord),
  async handler({ input: { reason, gameId, limit, skip } }, { refusals }: { refusals: Refusals }) {
    return pageOf({ limit, skip }, refusals.list({ reason, gameId }, { limit, skip }));
  },
});

const unixTime = z.int().min(0).meta({ description: 'Unix time in milliseconds' });

export const listRequests = defineAdminOperation({
  name: 'listRequests',
  kind: 'read',
  summary: 'List recent failed, rejected, slow and sampled calls on the responding node, latest first',
  roles: everyRole,
  input: z.object({
    outcome: requestOutcome.optional().meta({
      description: `\`failed\`: status 5xx; \`refused\`: status 4xx; \`slow\`: at least ${slowMs} ms`,
    }),
    id: text(1, 100).optional().meta({ description: 'The `X-Request-Id` or a prefix of it' }),
    reason: text(1, 100).optional(),
    operation: text(1, 100).optional(),
    gameId: idInput.optional(),
    wallet: addressInput.optional(),
    from: unixTime.optional(),
    to: unixTime
      .optional()
      .meta({ description: 'Only calls completed before this Unix time in milliseconds' }),
    ...paging,
  }),
  output: pagedOutput(requestRecord),
  async handler({ input: { limit, skip, ...filter } }, { requests }: { requests: Requests }) {
    return pageOf({ limit, skip }, requests.list(filter, { limit, skip }));
  },
});
