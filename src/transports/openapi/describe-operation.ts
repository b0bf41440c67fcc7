import { describeRoles } from '../../core/schemas/admin-role.ts';
import type { AnyOperation, AuthKind } from '../../features/operation.ts';

const callers: Readonly<Record<Exclude<AuthKind, 'admin'>, string>> = {
  player: "Requires the player's `launcherJwt`.",
  session: "Requires the player's `launcherJwt`, whose session may have ended.",
  'player-or-server': "Requires the player's `launcherJwt`, or the game's secret and the player's `wallet`.",
  'player-or-game':
    "Requires the player's `launcherJwt`, or the game's secret, and `wallet` to act for a player.",
  game: "Requires no token. The game is named by `gameId`, its secret, or the page's origin.",
  'game-secret': "Requires the game's secret.",
  'sign-in': 'Requires no token: `channelId` names the sign-in.',
  'player-or-anyone':
    "Public: requires no credentials. With the player's `launcherJwt`, it answers for the player.",
  public: 'Public: requires no credentials.',
};

/** Who may call an operation, and what a call costs. */
export function describeOperation(operation: AnyOperation): string {
  const { auth, cost } = operation;
  const who = auth === 'admin' ? describeAdministrators(operation) : callers[auth];
  return cost ? `${who} Counts as ${cost.text} against the rate limits.` : who;
}

function describeAdministrators({ roles, input }: AnyOperation): string {
  const who = `For the role ${describeRoles(roles ?? [])}.`;
  return 'gameId' in input.shape ? `${who} \`gameId\` may be the game's slug.` : who;
}
