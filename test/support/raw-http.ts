import { once } from 'node:events';
import { connect } from 'node:net';

/** The outcome of a connection that raw bytes were sent on. */
export interface Exchange {
  /** Everything the server sent, one character per byte. */
  received: string;
  /** The statuses of the responses in it, without `100 Continue`. */
  statuses: number[];
  /** When the connection closed, in milliseconds from its start; null when it was still open at the end. */
  closedAfterMs: number | null;
}

/** Closes our half of the connection. */
export const end = Symbol('end');
/** Steps, in order: bytes are sent; a number is a pause in milliseconds. */
export type Step = string | Buffer | number | typeof end;

/**
 * Opens a TCP connection and executes the steps while reading. Resolves when the connection is closed, the server has
 * sent `answers` responses, or `withinMs` have passed.
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
  socket.on('error', () => undefined); // a connection that was reset also emits `close`
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
  // A body need not end with a newline, so the next response may begin in the middle of a line.
  const lines = received.matchAll(/HTTP\/1\.1 (\d{3}) /g);
  return [...lines].map(([, status]) => Number(status)).filter((status) => status !== 100);
}
