import { z } from 'zod';

/** Administrator roles, from the most to the least privileged. */
export const adminRole = z.enum(['owner', 'operator', 'moderator', 'read-only']);
export type AdminRole = z.infer<typeof adminRole>;

/**
 * Role sets for administrators' operations; each operation declares one of these or its own list:
 * - `everyRole`: reads that expose no keys
 * - `moderators`: moderation of players: reports, bans, mutes, names, scores, messages, sessions
 * - `operators`: games, rules, the queue, webhooks, players' data, backups
 * - `owners`: management of administrators
 */
export const everyRole = ['owner', 'operator', 'moderator', 'read-only'] as const;
export const moderators = ['owner', 'operator', 'moderator'] as const;
export const operators = ['owner', 'operator'] as const;
export const owners = ['owner'] as const;

/** At least one role: without any, the operation could never be called. */
export type AllowedRoles = readonly [AdminRole, ...AdminRole[]];

/** A description of the required role: `owner`, `owner or operator`, `owner, operator or moderator`. */
export function describeRoles(roles: readonly AdminRole[]): string {
  const last = roles.at(-1) ?? 'none';
  return roles.length < 2 ? last : `${roles.slice(0, -1).join(', ')} or ${last}`;
}
