import { z } from 'zod';

/** What an administrator may do, from the most to the least. */
export const adminRole = z.enum(['owner', 'operator', 'moderator', 'read-only']);
export type AdminRole = z.infer<typeof adminRole>;

/**
 * Which roles an administrator's operation is for; each operation names one of these, or roles of its own:
 * - `everyRole`: reads that give away no key
 * - `moderators`: what players do and say to each other: reports, bans, mutes, names, scores, messages, sessions
 * - `operators`: games, rules, the queue, webhooks, players' data, backups
 * - `owners`: administrators themselves
 */
export const everyRole = ['owner', 'operator', 'moderator', 'read-only'] as const;
export const moderators = ['owner', 'operator', 'moderator'] as const;
export const operators = ['owner', 'operator'] as const;
export const owners = ['owner'] as const;

/** At least one role: an operation that nobody may call would be none. */
export type AllowedRoles = readonly [AdminRole, ...AdminRole[]];

/** `owner`, `owner or operator`, `owner, operator or moderator`: the role that is needed, in words. */
export function describeRoles(roles: readonly AdminRole[]): string {
  const last = roles.at(-1) ?? 'none';
  return roles.length < 2 ? last : `${roles.slice(0, -1).join(', ')} or ${last}`;
}
