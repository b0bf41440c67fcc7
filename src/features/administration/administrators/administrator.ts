import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { type AdminRole, adminRole } from '../../../core/schemas/admin-role.ts';
import { id, timestamp } from '../../../core/schemas/fields.ts';
import { nameText } from '../../../core/schemas/names.ts';
import type { AdministratorRow } from './tables.ts';

const tokenPrefix = 'gadm_';

/** Ten years. */
const maxDays = 3650;
const dayMs = 24 * 60 * 60 * 1000;

/** Bounds the list of administrators, which is not paged. */
export const maxAdministrators = 1_000;

/** Actors in the audit log that are not named administrators. */
const unnamedActors = ['admin-token', 'cli'] as const;

/** Unique ignoring case, because the audit log identifies administrators by name. */
export const administratorName = nameText(1, 60)
  .regex(
    /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._@+'-]{0,59}$/u,
    "must be 1 to 60 letters, digits, spaces or . _ @ + ' -, and begin with a letter or a digit",
  )
  .refine(
    (name) => !unnamedActors.some((actor) => actor === name.toLowerCase()),
    `must not be ${unnamedActors.join(' or ')}: reserved by the audit log`,
  )
  .meta({ description: 'The name in the audit log, such as Ada or ada@studio.example' });

export const tokenLifetimeDays = z
  .number()
  .positive()
  .max(maxDays)
  .optional()
  .meta({ description: 'Days until the token expires; default: never' });

export function lifetimeMs(days: number | undefined): number | null {
  return days === undefined ? null : Math.ceil(days * dayMs);
}

/** An administrator as owners see them; the token itself is not stored. */
export const administratorRecord = z.object({
  administratorId: id,
  name: z.string(),
  role: adminRole,
  createdAt: timestamp,
  expiresAt: timestamp.nullable().meta({ description: 'When the token expires; null: never' }),
  lastUsedAt: timestamp
    .nullable()
    .meta({ description: 'When the token was last used, to the minute; null: never' }),
});
export type AdministratorRecord = z.infer<typeof administratorRecord>;

/** The caller of an administrative operation. */
export interface AdminCaller {
  /** The id of a named administrator; null for the admin token and the command line. */
  administratorId: string | null;
  /** The actor in the audit log: the administrator's name, `admin-token` or `cli`. */
  actor: string;
  role: AdminRole;
  /** When the token expires, in Unix milliseconds; null: never. */
  expiresAt: number | null;
}

/** A holder of the admin token is always an owner. */
export const tokenOwner: AdminCaller = {
  administratorId: null,
  actor: 'admin-token',
  role: 'owner',
  expiresAt: null,
};

/** Command-line users are owners: write access to the data directory is full access anyway. */
export const commandLineOwner: AdminCaller = { ...tokenOwner, actor: 'cli' };

/** A new token: 256 random bits. Shown once; only its hash (`hashOfToken`) is stored. */
export function newAdministratorToken(): string {
  return tokenPrefix + randomBytes(32).toString('base64url');
}

/** Hex SHA-256. */
export function hashOfToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Names that differ only in case are the same. */
export function nameKeyOf(name: string): string {
  return name.toLowerCase();
}

/** A row without the token's hash, as owners see it. */
export function toAdministratorRecord(row: AdministratorRow): AdministratorRecord {
  return {
    administratorId: row.id,
    name: row.name,
    role: adminRole.parse(row.role),
    createdAt: row.createdAt,
    expiresAt: row.expiresAt,
    lastUsedAt: row.lastUsedAt,
  };
}
