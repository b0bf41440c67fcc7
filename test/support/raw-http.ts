import { once } from 'node:events';
import { connect } from 'node:net';

/** What came of a connection on which bytes were sent just as they are. */
export interface Exchange {
  /** Everything the server sent, a character a byte. */
  received: string;
  /** The statuses of the answers among it, `100 Continue` left out. */
  statuses: number[];
  /** When the connection was over, in milliseconds from its start; null when it still stood at the end. */
  closedAfterMs: number | null;
}

/** Closes our half of the connection. */
export const end = Symbol('end');
/** What is done in turn: bytes are sent; a number is a pause in milliseconds. */
export type Step = string | Buffer | number | typeof end;

/**
 * Opens a TCP connection and goes through the steps, taking in what comes. Resolves when the connection is
 * closed, the server has answered `answers` times, or `withinMs` are over.
 */
export async function exchange(
  { url }: { url: string },
  steps: Iterable<Step>,
  { withinMs = 5_000, answers = Number.POSITIVE_INFINITY }: { withinMs?: number; answers?: number } = {},
): Promise<Exchange> {
  const startedAt = performance.now();
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const result: Exchange = { received: '', statuses: [], closedAfterMs: null };
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), withinMs);
  socket.on('error', () => undefined); // a connection that was reset is closed, and that is told
  socket.once('close', () => {
    result.closedAfterMs = performance.now() - startedAt;
    over.abort();
  });
  socket.on('data', (bytes) => {
    result.received += bytes.toString('latin1');
    result.statuses = statusesIn(result.received);
    if (result.statuses.length >= answers) over.abort();
  });
  const isOver = over.signal.aborted ? Promise.resolve() : once(over.signal, 'abort');
  for (const step of steps) {
    if (over.signal.aborted) break;
    if (typeof step === 'number') {
      await Promise.race([isOver, new Promise((resolve) => setTimeout(resolve, step))]);
    } else if (step === end) {
      socket.end();
    } else if (!socket.write(step)) {
      await Promise.race([isOver, new Promise((resolve) => socket.once('drain', resolve))]);
    }
  }
  await isOver;
  clearTimeout(timer);
  socket.destroy();
  return result;
}

function statusesIn(received: string): number[] {
  // A body need not end with a line of its own, so that the next answer may begin in the middle of one.
  const lines = received.matchAll(/HTTP\/1\.1 (\d{3}) /g);
  return [...lines].map(([, status]) => Number(status)).filter((status) => status !== 100);
}
