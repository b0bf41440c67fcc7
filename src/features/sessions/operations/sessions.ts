import { z } from 'zod';
import type { Presence } from '../../../cluster/presence/presence.ts';
import type { PublicUrls } from '../../../core/public-urls.ts';
import { everyRole, moderators, operators } from '../../../core/schemas/admin-role.ts';
import { addressInput, idInput, success, timestamp } from '../../../core/schemas/fields.ts';
import { openedBy } from '../../../core/schemas/opened-by.ts';
import { pagedOutput, paging } from '../../../core/schemas/paging.ts';
import type { Store } from '../../../core/storage/store.ts';
import { refuseArchived, requireGame } from '../../games/require-game.ts';
import { defineAdminOperation } from '../../operation.ts';
import { setProfile } from '../../players/commands.ts';
import { username } from '../../players/player.ts';
import { endReason } from '../channel-session.ts';
import { revokeSessionById, startSession } from '../commands.ts';
import type { LauncherTokens } from '../launcher-token.ts';
import { issueToken } from '../new-session.ts';
import { findSessions, liveSessionsOf } from '../queries.ts';
import { presentSessions } from '../session-presence.ts';

export const listSessions = defineAdminOperation({
  name: 'listSessions',
  kind: 'read',
  summary: 'List channel sessions, newest first',
  roles: everyRole,
  input: z.object({ ...paging, wallet: addressInput.optional(), gameId: idInput.optional() }),
  output: pagedOutput(
    z.object({
      sessionId: z.string(),
      gameId: z.string(),
      wallet: z.string(),
      openedAt: timestamp,
      openedBy,
      expiresAt: timestamp,
      endedAt: timestamp.nullable(),
      endReason: endReason.nullable(),
      present: z.boolean(),
    }),
  ),
  async handler({ input }, services: { db: Store; presence: Presence }) {
    const { total, rows } = await services.db.read(findSessions, input, input);
    const open = rows.flatMap(({ session }) => (session.endedAt === null ? [session] : []));
    const wallets = [...new Set(open.map((session) => session.wallet))];
    const present = await presentSessions(services, open, await services.db.read(liveSessionsOf, wallets));
    const data = rows.map(({ session }) => {
      const { id: sessionId, followsLauncher: _, ...fields } = session;
      return { sessionId, ...fields, present: present.has(sessionId) };
    });
    return { total, limit: input.limit, skip: input.skip, data };
  },
});

export const openSession = defineAdminOperation({
  name: 'openSession',
  kind: 'write',
  summary: 'Open a channel session for a player, as a sign-in would',
  roles: operators,
  input: z.object({ gameId: idInput, wallet: addressInput, username: username.optional() }),
  output: z.object({ success, launcherJwt: z.string(), sessionId: z.string() }),
  async handler(
    { input },
    services: { db: Store; sessionLifetimeMs: number; tokens: LauncherTokens; publicUrls: PublicUrls },
  ) {
    const { db, sessionLifetimeMs } = services;
    const { gameId, wallet } = input;
    refuseArchived(await requireGame(db, gameId));
    if (input.username !== undefined) await db.write(setProfile, wallet, { username: input.username });
    const details = await db.write(startSession, { gameId, wallet }, sessionLifetimeMs);
    return { success: true, launcherJwt: await issueToken(details, services), sessionId: details.session.id };
  },
});

export const revokeSession = defineAdminOperation({
  name: 'revokeSession',
  kind: 'write',
  summary: 'Revoke a channel session of any player',
  roles: moderators,
  input: z.object({ sessionId: idInput }),
  output: z.object({ success }),
  async handler({ input }, { db }: { db: Store }) {
    await db.write(revokeSessionById, input.sessionId);
    return { success: true };
  },
});
