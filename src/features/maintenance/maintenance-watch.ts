import { GantryError } from '../../core/errors.ts';
import type { Signals } from '../../core/events/signals.ts';
import { streamOf } from '../../core/events/stream.ts';
import type { Store } from '../../core/storage/store.ts';
import { repeat } from '../../runtime/repeat.ts';
import type { Game } from '../games/game.ts';
import { findNamedGame } from '../games/queries.ts';
import { isNamed } from '../games/require-game.ts';
import { announceMaintenance } from './commands.ts';
import { maintenancePatched } from './events.ts';
import { scopeOf, toMaintenanceRecord } from './maintenance.ts';
import { listMaintenanceRows } from './queries.ts';
import type { MaintenanceRow } from './tables.ts';

/** How soon a process knows of maintenance that another has set. */
const pollIntervalMs = 1_000;
/** The longest `Retry-After`, in seconds: maintenance may end early. */
const maxRetryAfter = 60;

/** What was told of a maintenance last. */
interface Told {
  row: MaintenanceRow;
  phase: 'planned' | 'current' | 'over';
}

/**
 * Refuses calls during maintenance, which it keeps in memory so that calls need no read, and announces it. Every
 * process has one, and notifies its own sockets, so that they also receive what was set by a process that has ended
 * since.
 */
export class MaintenanceWatch {
  readonly #db: Store;
  readonly #signals: Signals;
  #rows: readonly MaintenanceRow[] = [];
  /** Reads are numbered, so that a slow one does not replace the result of a later one. */
  #reads = 0;
  #newest = 0;
  /** By scope. */
  readonly #told = new Map<string, Told>();

  constructor(db: Store, signals: Signals) {
    this.#db = db;
    this.#signals = signals;
  }

  /** Resolves once the stored maintenance is known. */
  async start(options: { signal: AbortSignal; report(thrown: unknown): void }): Promise<void> {
    await this.refresh();
    this.#tell(); // to nobody: there are no sockets yet
    repeat(() => this.announce(), { everyMs: pollIntervalMs, firstMs: 0, ...options });
  }

  async refresh(): Promise<void> {
    const read = ++this.#reads;
    const rows = await this.#db.read(listMaintenanceRows);
    if (read < this.#newest) return;
    this.#newest = read;
    this.#rows = rows;
  }

  /** Sends the announcements that are due. */
  async announce(): Promise<void> {
    await this.refresh();
    this.#tell();
    const now = this.#db.now();
    for (const { scope, announceAt } of this.#rows) {
      if (announceAt <= now) await this.#db.write(announceMaintenance, scope);
    }
  }

  #tell(): void {
    const now = this.#db.now();
    const rows = new Map(this.#rows.map((row) => [row.scope, row]));
    for (const [scope, { row, phase }] of this.#told) {
      if (rows.has(scope)) continue;
      this.#told.delete(scope);
      // Another process has ended and removed it since the last read.
      if (phase !== 'over') this.#send({ ...row, until: Math.min(row.until, now) });
    }
    for (const row of rows.values()) {
      const told = this.#told.get(row.scope);
      const phase = phaseOf(row, now);
      if (told?.phase === phase && told.row.updatedAt === row.updatedAt) continue;
      this.#told.set(row.scope, { row, phase });
      this.#send(row);
    }
  }

  #send(row: MaintenanceRow): void {
    const { gameId } = row;
    this.#signals.sendHere({
      name: maintenancePatched.name,
      record: toMaintenanceRecord(row),
      stream: gameId === null ? 'games' : streamOf.game(gameId),
      audience: { kind: 'sessions', gameId, launchers: true },
    });
  }

  /**
   * Refuses a call for a game that is in maintenance: the caller's, or the one that its input names by id or slug.
   * Returns a promise if the input's game has to be looked up.
   * @throws GantryError `maintenance`
   */
  refuse(game: Game | null, named: unknown): Promise<void> | undefined {
    if (this.#rows.length === 0) return undefined;
    this.#refuseIn(game?.id ?? null);
    if (typeof named !== 'string' || (game && isNamed(game, named))) return undefined;
    return this.#db.read(findNamedGame, named).then((other) => {
      if (other) this.#refuseIn(other.id);
    });
  }

  #refuseIn(gameId: string | null): void {
    const now = this.#db.now();
    const scopes = [scopeOf(null), scopeOf(gameId)];
    const current = this.#rows.filter(
      ({ scope, startsAt, until }) => scopes.includes(scope) && startsAt <= now && now < until,
    );
    const last = current.toSorted((one, other) => one.until - other.until).at(-1);
    if (!last) return;
    const seconds = Math.ceil((last.until - now) / 1000);
    throw new GantryError(
      'maintenance',
      last.message || 'Maintenance is in progress: nothing can be changed until it is over',
      { retryAfterSeconds: Math.min(seconds, maxRetryAfter) },
    );
  }
}

function phaseOf({ startsAt, until }: MaintenanceRow, now: number): Told['phase'] {
  if (until <= now) return 'over';
  return startsAt <= now ? 'current' : 'planned';
}
