import { openedBy } from '../../core/schemas/opened-by.ts';
import { type ChannelSession, endReason, type UnverifiedChannel } from './channel-session.ts';
import type { SessionRow, SignInRow } from './tables.ts';

export function toSession({ endReason: reason, ...row }: SessionRow): ChannelSession {
  return {
    id: row.id,
    gameId: row.gameId,
    wallet: row.wallet,
    openedAt: row.openedAt,
    expiresAt: row.expiresAt,
    openedBy: openedBy.parse(row.openedBy),
    endedAt: row.endedAt,
    followsLauncher: row.followsLauncher === 1,
    endReason: reason === null ? null : endReason.parse(reason),
  };
}

export function toUnverifiedChannel(row: SignInRow): UnverifiedChannel {
  return {
    id: row.id,
    gameId: row.gameId,
    wallet: row.wallet,
    signRequest: row.signRequest,
    expiresAt: row.expiresAt,
  };
}
