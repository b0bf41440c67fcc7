import { fstatSync, write, writeSync } from 'node:fs';
import { codeOf } from '../runtime/error-code.ts';

/** A pipe takes so many bytes atomically (POSIX's PIPE_BUF), so that the lines of two processes do not interleave. */
const pipeWriteBytes = 4_096;
/** Files, sockets and terminals promise nothing of the kind, and each write costs as much as some calls. */
const otherWriteBytes = 65_536;
/** How long lines are buffered, to be written together. */
const flushIntervalMs = 100;
/** The most that is buffered for a reader that does not keep up; further lines are dropped, rather than filling the memory. */
const maxBufferedBytes = 8 * 1024 * 1024;
/** Before a full, non-blocking pipe is tried again. */
const retryDelayMs = 20;
/** How long a synchronous flush tries to write to such a pipe, all lines together. */
const flushTimeoutMs = 1_000;

/**
 * Writes lines to a file descriptor, beside the calls: many in one write, one write at a time. With the general
 * stream for this that pino brings, a line a call took a fifth of the event loop; with this one a twentieth.
 */
export class LogStream {
  readonly #descriptor: number;
  /** The most that is written at once, but for a longer line. */
  readonly #writeBytes: number;
  /** Whole lines together, each at most `#writeBytes` unless it is a single line. */
  #full: string[] = [];
  #last = '';
  /** What is left of lines that were begun to be written. */
  #begun: Buffer | null = null;
  #waiting = 0;
  #isWriting = false;
  #isStuck = false;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
    this.#writeBytes = isPipe(descriptor) ? pipeWriteBytes : otherWriteBytes;
    setInterval(() => this.#flush(), flushIntervalMs).unref();
    process.on('exit', () => this.flushSync());
  }

  write(line: string): void {
    if (this.#waiting + line.length > maxBufferedBytes) return;
    this.#waiting += line.length;
    if (this.#last.length + line.length > this.#writeBytes && this.#last !== '') {
      this.#full.push(this.#last);
      this.#last = '';
      this.#next();
    }
    this.#last += line;
  }

  /** Calls back when what waits has been handed over, or the reader has not taken it for `flushTimeoutMs`. */
  flush(done: () => void, since = performance.now()): void {
    this.#flush();
    if (!this.#isWriting || performance.now() - since > flushTimeoutMs) done();
    else setTimeout(() => this.flush(done, since), 5);
  }

  /**
   * Writes what waits before it returns, as far as the reader takes it within `flushTimeoutMs`: the rest goes on waiting,
   * and until something was taken again nobody waits for that reader. A pipe that blocks is waited for.
   */
  flushSync(): void {
    this.#closeLast();
    const deadline = this.#isStuck ? 0 : performance.now() + flushTimeoutMs;
    for (let bytes = this.#take(); bytes; bytes = this.#take()) {
      const rest = this.#writeNow(bytes, deadline);
      if (rest.length === 0) continue;
      this.#begun = rest;
      this.#isStuck = true;
      return;
    }
  }

  #flush(): void {
    this.#closeLast();
    this.#next();
  }

  #closeLast(): void {
    if (this.#last !== '') this.#full.push(this.#last);
    this.#last = '';
  }

  #take(): Buffer | null {
    const begun = this.#begun;
    this.#begun = null;
    if (begun) return begun;
    const text = this.#full.shift();
    if (text === undefined) return null;
    this.#waiting -= text.length;
    return Buffer.from(text);
  }

  #next(): void {
    if (this.#isWriting) return;
    const bytes = this.#take();
    if (!bytes) return;
    this.#isWriting = true;
    write(this.#descriptor, bytes, (error, written) => {
      this.#isWriting = false; // also when nobody reads any more: there is nowhere to say so
      if (error?.code === 'EAGAIN') {
        this.#begun = bytes;
        setTimeout(() => this.#next(), retryDelayMs).unref();
        return;
      }
      this.#isStuck = false;
      if (!error && written < bytes.length) this.#begun = bytes.subarray(written);
      this.#next();
    });
  }

  /** What is left of it when the time is over. */
  #writeNow(bytes: Buffer, deadline: number): Buffer {
    let rest = bytes;
    while (rest.length > 0) {
      try {
        rest = rest.subarray(writeSync(this.#descriptor, rest));
        this.#isStuck = false;
      } catch (error) {
        if (codeOf(error) !== 'EAGAIN') return rest.subarray(rest.length);
        if (performance.now() >= deadline) return rest;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryDelayMs);
      }
    }
    return rest;
  }
}

function isPipe(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isFIFO();
  } catch {
    return false; // closed: nothing is written at all
  }
}
