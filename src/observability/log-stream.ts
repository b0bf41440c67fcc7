import { write, writeSync } from 'node:fs';
import { codeOf } from '../error-code.ts';

/** A pipe takes so many bytes whole (POSIX's PIPE_BUF), so that the lines of two processes do not run into each other. */
const wholeBytes = 4_096;
/** Lines wait so long for others to be written with. */
const togetherMs = 100;
/** So much waits for a reader that does not keep up; what comes then is lost, rather than the server's memory. */
const mostWaiting = 8 * 1024 * 1024;
/** A pipe that is full and does not block is tried again after this. */
const againMs = 20;
/** So long lines that cannot wait are tried on such a pipe, all of them together. */
const urgentMs = 1_000;

/**
 * Writes lines to a file descriptor, beside the calls: many in one write, one write at a time. With the general
 * stream for this that pino brings, a line a call took a fifth of the event loop; with this one a twentieth.
 */
export class LogStream {
  readonly #descriptor: number;
  /** Whole lines together, each at most `wholeBytes` unless it is a single line. */
  #full: string[] = [];
  #last = '';
  /** What is left of lines that were begun to be written. */
  #begun: Buffer | null = null;
  #waiting = 0;
  #isWriting = false;
  #isStuck = false;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
    setInterval(() => this.#flush(), togetherMs).unref();
    process.on('exit', () => this.flushSync());
  }

  write(line: string): void {
    if (this.#waiting + line.length > mostWaiting) return;
    this.#waiting += line.length;
    if (this.#last.length + line.length > wholeBytes && this.#last !== '') {
      this.#full.push(this.#last);
      this.#last = '';
      this.#next();
    }
    this.#last += line;
  }

  /** Calls back when what waits has been handed over, or the reader has not taken it for `urgentMs`. */
  flush(done: () => void, since = performance.now()): void {
    this.#flush();
    if (!this.#isWriting || performance.now() - since > urgentMs) done();
    else setTimeout(() => this.flush(done, since), 5);
  }

  /**
   * Writes what waits before it returns, as far as the reader takes it within `urgentMs`: the rest goes on waiting,
   * and until something was taken again nobody waits for that reader. A pipe that blocks is waited for.
   */
  flushSync(): void {
    this.#closeLast();
    const deadline = this.#isStuck ? 0 : performance.now() + urgentMs;
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
        setTimeout(() => this.#next(), againMs).unref();
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
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, againMs);
      }
    }
    return rest;
  }
}
