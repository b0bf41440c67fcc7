import type { Reason } from '../../src/errors.ts';
import { type Role, roles } from '../support/world.ts';

/** Refused, with this status of DESIGN.md "Errors" and reason, told nothing of the owner's, and to no effect. */
export interface Refusal {
  code: number;
  reason: Reason;
}

/**
 * What comes of a call by someone:
 * - `shared`: it is the owner's thing, and the caller may see or change it
 * - `own`: it is carried out on the caller's own things; the owner's are neither seen nor changed
 */
export type Access = 'shared' | 'own' | Refusal;

export type AccessByRole = Readonly<Record<Role, Access>>;

/** Callers no launcher token speaks for, and why: the same for every operation that takes one. */
const unidentified = {
  ended: refused(401, 'session_ended'),
  revoked: refused(401, 'session_ended'),
  banned: refused(401, 'session_ended'),
  anonymous: refused(401, 'token_missing'),
  forged: refused(401, 'token_invalid'),
  // To games and launchers `Authorization` carries a game's secret, and this is none.
  administrator: refused(401, 'secret_invalid'),
} as const;

/** A game's server, where only players are served. */
export const playersOnly = {
  gameServer: refused(401, 'token_missing'),
  otherGameServer: refused(401, 'token_missing'),
} as const;

/** Who is not even let in with a connection of their own: the handshake refuses what the token is. */
export const refusedAtHandshake: Partial<AccessByRole> = {
  ended: unidentified.ended,
  revoked: unidentified.revoked,
  banned: unidentified.banned,
  forged: unidentified.forged,
};

/** Each player reaches the things of the token's own game and wallet, and no others. */
export const ownThings: AccessByRole = {
  owner: 'shared',
  participant: 'own',
  stranger: 'own',
  guest: 'own',
  elsewhere: 'own',
  launcher: 'own',
  strangersLauncher: 'own',
  gameServer: 'shared',
  otherGameServer: 'own',
  ...unidentified,
};

/** The same where only players are served. */
export const ownThingsOfPlayers: AccessByRole = { ...ownThings, ...playersOnly };

/** Only servers, each in its own game. */
export const serversOnly: AccessByRole = allRefused(refused(401, 'secret_required'), {
  gameServer: 'shared',
  otherGameServer: 'own',
});

/** Anyone at all, with whatever launcher token or none. */
export const anyone: AccessByRole = {
  ...ownThings,
  ended: 'own',
  revoked: 'own',
  banned: 'own',
  anonymous: 'own',
  forged: 'own',
  gameServer: 'own',
};

/** For everyone but the owner, and as `but` says. */
export function refusedTo(others: Refusal, but: Partial<AccessByRole> = {}): AccessByRole {
  return {
    owner: 'shared',
    participant: others,
    stranger: others,
    guest: others,
    elsewhere: others,
    launcher: others,
    strangersLauncher: others,
    ...playersOnly,
    ...unidentified,
    ...but,
  };
}

/** For everyone, whatever their token, and as `but` says; the admin token is never a game's secret. */
function allRefused(others: Refusal, but: Partial<AccessByRole>): AccessByRole {
  const everyone = Object.fromEntries(roles.map((role) => [role, others])) as Record<Role, Refusal>;
  return { ...everyone, administrator: unidentified.administrator, ...but };
}

export function refused(code: number, reason: Reason): Refusal {
  return { code, reason };
}
