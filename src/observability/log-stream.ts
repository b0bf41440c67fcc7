import { write, writeSync } from 'node:fs';

/** A pipe takes so many bytes whole (POSIX's PIPE_BUF), so that the lines of two processes do not run into each other. */
const wholeBytes = 4_096;
/** Lines wait so long for others to be written with. */
const togetherMs = 100;
/** So much waits for a reader that does not keep up; what comes then is lost, rather than the server's memory. */
const mostWaiting = 8 * 1024 * 1024;
/** A pipe that is full and does not block is tried again after this. */
const againMs = 20;
/** How often a line that cannot wait is tried on such a pipe. */
const urgentTries = 50;

/**
 * Writes lines to a file descriptor, beside the calls: many in one write, one write at a time. With the general
 * stream for this that pino brings, a line a call took a fifth of the event loop; with this one a twentieth.
 */
export class LogStream {
  readonly #descriptor: number;
  /** Whole lines together, each at most `wholeBytes` unless it is a single line. */
  #full: string[] = [];
  #last = '';
  #waiting = 0;
  #isWriting = false;

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

  /** Writes what waits before it returns. */
  flushSync(): void {
    this.#closeLast();
    for (const text of this.#full.splice(0)) {
      this.#waiting -= text.length;
      this.#writeNow(Buffer.from(text));
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

  #next(): void {
    if (this.#isWriting) return;
    const text = this.#full.shift();
    if (text === undefined) return;
    this.#isWriting = true;
    this.#waiting -= text.length;
    this.#writeAll(Buffer.from(text));
  }

  #writeAll(bytes: Buffer): void {
    write(this.#descriptor, bytes, (error, written) => {
      if (error?.code === 'EAGAIN') {
        setTimeout(() => this.#writeAll(bytes), againMs).unref();
      } else if (!error && written < bytes.length) {
        this.#writeAll(bytes.subarray(written));
      } else {
        this.#isWriting = false; // also when nobody reads any more: there is nowhere to say so
        this.#next();
      }
    });
  }

  #writeNow(bytes: Buffer): void {
    let rest = bytes;
    for (let tried = 0; rest.length > 0 && tried < urgentTries; tried++) {
      try {
        rest = rest.subarray(writeSync(this.#descriptor, rest));
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) return;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, againMs);
      }
    }
  }
}
