import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { type AdminRole, adminRole } from '../core/schemas/admin-role.ts';
import { id, timestamp } from '../core/schemas/ids.ts';

const tokenPrefix = 'gadm_';

/** Ten years. */
const maxDays = 3650;
const dayMs = 24 * 60 * 60 * 1000;

/** More than anybody manages by hand: they are listed as a whole. */
export const maxAdministrators = 1_000;

/** Who an entry of the audit log names when it was no administrator by name. */
const unnamedActors = ['admin-token', 'cli'] as const;

/** Unique whatever the letter case, as the audit log names administrators by it. */
export const administratorName = z
  .string()
  .trim()
  .regex(
    /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._@+'-]{0,59}$/u,
    "must be 1 to 60 letters, digits, spaces or . _ @ + ' -, and begin with a letter or a digit",
  )
  .refine(
    (name) => !unnamedActors.some((actor) => actor === name.toLowerCase()),
    `must not be ${unnamedActors.join(' or ')}: the audit log has another meaning for it`,
  )
  .meta({ description: 'The name in the audit log, such as Ada or ada@studio.example' });

/** When a token stops working, from now. */
export const tokenLifetimeDays = z
  .number()
  .positive()
  .max(maxDays)
  .optional()
  .meta({ description: 'When the token expires, in days from now; left out: never' });

export function lifetimeMs(days: number | undefined): number | null {
  return days === undefined ? null : Math.ceil(days * dayMs);
}

/** An administrator as owners see one; the token itself is kept by nobody. */
export const administratorRecord = z.object({
  administratorId: id,
  name: z.string(),
  role: adminRole,
  createdAt: timestamp,
  expiresAt: timestamp.nullable().meta({ description: 'When the token stops working; null: never' }),
  lastUsedAt: timestamp
    .nullable()
    .meta({ description: 'To the minute; null: the token has not been used yet' }),
});
export type AdministratorRecord = z.infer<typeof administratorRecord>;

/** Who calls as an administrator. */
export interface AdminCaller {
  /** Of the administrators by name; null: the admin token, or the command line. */
  administratorId: string | null;
  /** As the audit log has it: the name, `admin-token` or `cli`. */
  actor: string;
  role: AdminRole;
  /** When the token stops working, in Unix milliseconds; null: never. */
  expiresAt: number | null;
}

/** Anyone who has the admin token is an owner, whatever becomes of the others. */
export const tokenOwner: AdminCaller = {
  administratorId: null,
  actor: 'admin-token',
  role: 'owner',
  expiresAt: null,
};

/** Write access to the data directory is full access. */
export const commandLineOwner: AdminCaller = { ...tokenOwner, actor: 'cli' };

/** A new token: 256 random bits. Shown once; only `hashOfToken` is kept. */
export function newAdministratorToken(): string {
  return tokenPrefix + randomBytes(32).toString('base64url');
}

/** Hex SHA-256. */
export function hashOfToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Names that differ by letter case alone are one. */
export function nameKeyOf(name: string): string {
  return name.toLowerCase();
}
