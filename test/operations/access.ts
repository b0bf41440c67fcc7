import type { Reason } from '../../src/core/errors.ts';
import type { EndReason } from '../../src/features/sessions/channel-session.ts';
import { type Role, roles } from '../support/world.ts';

/**
 * Refused, with this status of DESIGN.md "Errors" and reason, without revealing the owner's data, and without effect.
 */
export interface Refusal {
  code: number;
  reason: Reason;
  /** With `session_ended`: why. */
  endReason?: EndReason;
}

/**
 * The outcome of someone's call:
 * - `shared`: it is about the owner's data, which the caller may see or change
 * - `own`: it is executed on the caller's own data; the owner's is neither seen nor changed
 */
export type Access = 'shared' | 'own' | Refusal;

export type AccessByRole = Readonly<Record<Role, Access>>;

/** Callers that no launcher token identifies, and why: the same for every operation that takes one. */
const unidentified = {
  ended: { ...refused(401, 'session_ended'), endReason: 'ended' },
  revoked: { ...refused(401, 'session_ended'), endReason: 'revoked' },
  banned: { ...refused(401, 'session_ended'), endReason: 'banned' },
  anonymous: refused(401, 'token_missing'),
  forged: refused(401, 'token_invalid'),
  // For games and launchers `Authorization` carries a game's secret, and this is not one.
  administrator: refused(401, 'secret_invalid'),
} as const;

/** A game's server, where only players are allowed. */
export const playersOnly = {
  gameServer: refused(401, 'token_missing'),
  otherGameServer: refused(401, 'token_missing'),
} as const;

/** Callers without even a connection: the handshake refuses their token. */
export const refusedAtHandshake: Partial<AccessByRole> = {
  ended: unidentified.ended,
  revoked: unidentified.revoked,
  banned: unidentified.banned,
  forged: unidentified.forged,
};

/** Each player reaches the data of the token's own game and wallet, and no other. */
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

/** The same where only players are allowed. */
export const ownThingsOfPlayers: AccessByRole = { ...ownThings, ...playersOnly };

/** The same where sessions of games are refused, and only launchers' own sessions allowed. */
export function launchersOnly(refusal: Refusal): AccessByRole {
  return { ...ownThingsOfPlayers, ...ofGames(refusal), elsewhere: refusal };
}

/** Players' sessions of one game. */
export function ofGames(refusal: Refusal): Partial<AccessByRole> {
  return { owner: refusal, participant: refusal, stranger: refusal, guest: refusal };
}

/** Only servers, each in its own game. */
export const serversOnly: AccessByRole = allRefused(refused(401, 'secret_required'), {
  gameServer: 'shared',
  otherGameServer: 'own',
});

/** Anyone, with any launcher token or none. */
export const anyone: AccessByRole = {
  ...ownThings,
  ended: 'own',
  revoked: 'own',
  banned: 'own',
  anonymous: 'own',
  forged: 'own',
  gameServer: 'own',
};

/** For everyone but the owner, with the exceptions in `but`. */
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

/** For everyone, whatever their token, with the exceptions in `but`; the admin token is never a game's secret. */
function allRefused(others: Refusal, but: Partial<AccessByRole>): AccessByRole {
  const everyone = Object.fromEntries(roles.map((role) => [role, others])) as Record<Role, Refusal>;
  return { ...everyone, administrator: unidentified.administrator, ...but };
}

export function refused(code: number, reason: Reason): Refusal {
  return { code, reason };
}
