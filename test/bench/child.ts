import { type ChildProcess, fork, type Serializable } from 'node:child_process';
import { once } from 'node:events';
import type { z } from 'zod';

/** How long a process may take to end after it was stopped, in milliseconds. */
const stopWithinMs = 10_000;

export interface ChildOptions {
  args?: readonly string[];
  /** Options of Node itself. */
  nodeOptions?: readonly string[];
  /** Its whole environment, besides PATH: the caller's shell settings must not change a figure. */
  variables?: Readonly<Record<string, string>>;
}

/** Another process on the same Node, with a separate event loop and heap. */
export class Child implements AsyncDisposable {
  readonly #name: string;
  readonly #process: ChildProcess;
  readonly #gone: Promise<string>;
  /** The end of its standard error output. */
  #complaint = '';

  constructor(script: URL, { args = [], nodeOptions = [], variables = {} }: ChildOptions = {}) {
    this.#name = script.pathname.split('/').at(-1) ?? script.pathname;
    this.#process = fork(script, args, {
      execArgv: [...nodeOptions],
      env: { PATH: process.env.PATH, NODE_ENV: 'production', ...variables },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      serialization: 'advanced', // carries large bodies and typed arrays without JSON
    });
    this.#process.stderr?.on('data', (data) => {
      this.#complaint = (this.#complaint + data).slice(-4000);
    });
    const kill = () => this.#process.kill('SIGKILL');
    process.once('exit', kill);
    this.#gone = once(this.#process, 'close').then(() => {
      process.off('exit', kill);
      return `${this.#name} ended${this.#complaint && `:\n${this.#complaint}`}`;
    });
  }

  get pid(): number {
    return this.#process.pid ?? Number.NaN;
  }

  /** Resolves with the first match in its output; rejects when it ends without having printed that. */
  printed(pattern: RegExp): Promise<RegExpExecArray> {
    return this.#orGone(
      new Promise((resolve) => {
        let text = '';
        this.#process.stdout?.on('data', (data) => {
          text += data;
          const match = pattern.exec(text);
          if (match) resolve(match);
        });
      }),
    );
  }

  /** Sends a message and waits for its response. One at a time. */
  async ask<Answer>(message: Serializable, answer: z.ZodType<Answer>): Promise<Answer> {
    const answered = once(this.#process, 'message');
    this.#process.send(message);
    const [received] = await this.#orGone(answered);
    return answer.parse(received);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill('SIGTERM');
    const impatience = setTimeout(() => this.#process.kill('SIGKILL'), stopWithinMs);
    await this.#gone;
    clearTimeout(impatience);
  }

  #orGone<Result>(result: Promise<Result>): Promise<Result> {
    const gone = this.#gone.then((how) => Promise.reject(new Error(how)));
    return Promise.race([result, gone]);
  }
}
