import { GantryError } from '../../core/errors.ts';
import type { WriteTrouble } from '../../core/storage/database.ts';
import { codeOf } from '../../runtime/error-code.ts';
import { unavailable } from '../unavailable.ts';

const diskFull = '53100';
/** How long a disk counts as full after it was: some writes succeed meanwhile. */
const fullMs = 5_000;

/** Why a server that responds refuses every write for now, and what to do; by PostgreSQL's error code. */
const remedies: Readonly<Record<string, string>> = {
  '25006':
    'The server is a standby, or the database, the user or the server is set to read-only: make DATABASE_URL lead to ' +
    'the primary, or allow writes',
  [diskFull]: 'Make room on the disk of the PostgreSQL server',
};

/** The server refuses writes, whatever they are; nothing of the transaction has taken effect. */
export function isRefusingWrites(error: unknown): boolean {
  return Object.hasOwn(remedies, codeOf(error));
}

/** What a caller is told of the error of a write. */
export function refusalOf(error: unknown): GantryError {
  return unavailable(isRefusingWrites(error) ? 'take writes' : 'be reached', error);
}

/** The error below a refusal, and what it says. */
function reasonOf(error: unknown): { cause: unknown; why: string } {
  const cause = error instanceof GantryError && error.cause instanceof Error ? error.cause : error;
  return { cause, why: cause instanceof Error ? cause.message : String(cause) };
}

/** What it means for the operator that the server cannot be reached. */
export function unreachable(error: unknown): WriteTrouble {
  const { why } = reasonOf(error);
  // Which error it is depends on the moment: logged as they come, they would alternate for the whole outage.
  const isClosed = /ECONNRESET|EPIPE|^Connection terminated/.test(why);
  const message = `PostgreSQL cannot be reached: ${isClosed ? 'it closed the connection' : why}`;
  return { message, isUnusable: true };
}

/** What it means for the operator. */
function troubleOf(error: unknown): WriteTrouble {
  const { cause, why } = reasonOf(error);
  const remedy = remedies[codeOf(cause)];
  if (remedy === undefined) return unreachable(error);
  return {
    message: `PostgreSQL refuses writes: ${why}. Writes are rejected, reads continue. ${remedy}.`,
    isUnusable: false,
  };
}

/** Whether writes are possible, as found by writing. */
export class WriteHealth {
  readonly #report: (trouble: WriteTrouble | null) => void;
  #trouble: WriteTrouble | null = null;
  /** PostgreSQL's code of the trouble. */
  #code = '';
  #fullAt = Number.NEGATIVE_INFINITY;

  /** `report` receives every change. */
  constructor(report: (trouble: WriteTrouble | null) => void) {
    this.#report = report;
  }

  get isTroubled(): boolean {
    return this.#trouble !== null;
  }

  /** The server responds, but refused a write a moment ago. */
  get isRefusing(): boolean {
    return this.#trouble?.isUnusable === false;
  }

  failed(error: unknown): void {
    const code = codeOf(error);
    if (code === diskFull) this.#fullAt = performance.now();
    if (this.isRefusing && code === this.#code) return; // its text names one file or statement after the other
    this.#code = code;
    this.#set(troubleOf(error));
  }

  succeeded(): void {
    if (performance.now() - this.#fullAt >= fullMs) this.#set(null);
  }

  #set(trouble: WriteTrouble | null): void {
    if (trouble?.message === this.#trouble?.message) return;
    this.#trouble = trouble;
    this.#report(trouble);
  }
}
