import { setTimeout as delay } from 'node:timers/promises';
import { isConnectionLost } from './connection.ts';

const retryMs = 1_000;
/** Longer than a failover or a restart of the machine takes; then a supervisor should notice. */
const giveUpAfterMs = 5 * 60_000;
const reportIntervalMs = 30_000;

/** A pooler passes these refusals on with the code of a lost connection. */
const permanent = /authentication|password|no such (user|database)/i;

/**
 * Does the work; while the server cannot be reached or is starting, tries it again every second, for five minutes.
 * `report` receives the reason at first and every 30 seconds.
 * @throws what the work throws: at once when waiting would not help, such as a wrong password
 */
export async function onceReachable(work: () => Promise<void>, report: (why: string) => void): Promise<void> {
  const startedAt = performance.now();
  let reportedAt = Number.NEGATIVE_INFINITY;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const cause = error instanceof AggregateError ? error.errors[0] : error; // one for each address
      const why = cause instanceof Error ? cause.message : String(cause);
      const now = performance.now();
      if (!isConnectionLost(cause) || permanent.test(why) || now - startedAt > giveUpAfterMs) throw error;
      if (now - reportedAt >= reportIntervalMs) {
        reportedAt = now;
        report(why);
      }
    }
    await delay(retryMs);
  }
}
