import { z } from 'zod';
import type { PublicUrls } from '../../../core/public-urls.ts';
import { addressInput } from '../../../core/schemas/address.ts';
import { operators } from '../../../core/schemas/admin-role.ts';
import { idInput } from '../../../core/schemas/ids.ts';
import { success } from '../../../core/schemas/outcome.ts';
import type { Store } from '../../../core/storage/store.ts';
import { refuseArchived } from '../../games/refuse-archived.ts';
import { requireGame } from '../../games/require-game.ts';
import { defineOperation } from '../../operation.ts';
import { setProfile } from '../../players/commands.ts';
import { username } from '../../players/player.ts';
import { startSession } from '../commands.ts';
import type { LauncherTokens } from '../launcher-token.ts';
import { issueToken } from './issue-token.ts';

export const openSession = defineOperation({
  name: 'openSession',
  service: 'admin',
  kind: 'write',
  summary: 'Open a channel session for a player, as signing in would',
  auth: 'admin',
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
