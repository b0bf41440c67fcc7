import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import { type Failure, fromFailure } from '../../core/failure.ts';
import { startThread } from '../../runtime/start-thread.ts';
import {
  type CallFields,
  type LargeCall,
  type LargeField,
  parseCall,
  parseInput,
  toInput,
} from './large-input.ts';
import { mergedState } from './merge-patch.ts';
import { type CanonicalState, readState } from './state.ts';
import { extractValues, type StateValue } from './state-values.ts';

/** To a thread: a text to read, and the path of the field it was sent in. */
export interface ReadTask {
  id: number;
  text: string;
  path: string | undefined;
}

/** To a thread: a stored state's text, and the keys to extract from it. */
export interface ExtractTask {
  id: number;
  text: string;
  keys: readonly string[];
}

/** To a thread: a stored state's text, or null, and a patch to merge into it. */
export interface MergeTask {
  id: number;
  text: string | null;
  patch: string;
}

/** From a thread: the result of reading a text or merging a patch. */
export type StateReply = { id: number; state: CanonicalState } | { id: number; failure: Failure };
export interface ValuesReply {
  id: number;
  values: StateValue[];
}

/** To a thread: an input to parse. */
export interface InputTask {
  id: number;
  body: Uint8Array;
}

/** To a thread: a call to parse. */
export interface CallTask {
  id: number;
  call: string;
}

export interface CallReply {
  id: number;
  found: CallFields;
}

export interface FieldsReply {
  id: number;
  fields: LargeField[];
}

export type Task = ReadTask | ExtractTask | MergeTask | InputTask | CallTask;
type WithoutId<One> = One extends Task ? Omit<One, 'id'> : never;
export type Reply = StateReply | ValuesReply | FieldsReply | CallReply;

/**
 * Minimum length of a text for a thread, in UTF-16 units: a shorter one is read in about 0.5 ms, faster than it is
 * posted.
 */
const largeLength = 32 * 1024;
/** Even on two processors: one thread would limit the throughput of large states, and two leave the event loop its share. */
const maxThreads = 2;

/** Maximum total length of cached values, in UTF-16 units. */
const maxCachedLength = 4 * 1024 * 1024;

interface PendingTask {
  /** Runs the task on the main thread instead. */
  runInline(): void;
  settle(reply: Reply): void;
}

interface Thread {
  worker: Worker;
  /** By task id. */
  pending: Map<number, PendingTask>;
}

/**
 * Parses states sent as text, extracts values from stored ones, and merges patches into them. A megabyte takes about 15
 * ms, which would block the event loop, so large ones are handled by worker threads, started on demand.
 */
export class StateReader {
  readonly #threads: Thread[] = [];
  readonly #threadLimit = Math.min(maxThreads, availableParallelism());
  readonly #startThread: () => Worker;
  /** Extractions in flight: concurrent calls for the same values share one. */
  readonly #inFlight = new Map<string, Promise<StateValue[] | null>>();
  /** By content id and key; never invalidated, because an id's content never changes. */
  readonly #values = new LRUCache<string, { value: StateValue }>({
    maxSize: maxCachedLength,
    sizeCalculation: ({ value }, key) => key.length + lengthOf(value),
  });
  #lastId = 0;

  constructor(start = () => startThread('state-thread')) {
    this.#startThread = start;
  }

  /**
   * `path`: path of the field it was sent in.
   * @throws GantryError `state_too_large`, `body_too_deep`, `state_not_json`
   */
  async read(text: string, path?: string): Promise<CanonicalState> {
    if (text.length < largeLength) return readState(text, path);
    return this.#inThread({ text, path }, () => readState(text, path), stateOf);
  }

  /** Like `mergedState`, in a worker thread. @throws GantryError `state_too_large` */
  async merge(stored: string | null, patch: string): Promise<CanonicalState> {
    return this.#inThread({ text: stored, patch }, () => mergedState(stored, patch), stateOf);
  }

  /**
   * The values under these keys of the stored state with this content id, in the keys' order. `readText` is called for
   * its text unless all values are cached; null when the state is no longer stored.
   */
  async valuesOf(
    contentId: string,
    keys: readonly string[],
    readText: () => Promise<string | null>,
  ): Promise<StateValue[] | null> {
    const cached = keys.map((key) => this.#values.get(`${contentId} ${key}`));
    if (cached.every((entry) => entry !== undefined)) return cached.map(({ value }) => value);
    const name = JSON.stringify([contentId, ...keys]);
    const extraction = this.#inFlight.get(name) ?? this.#readAndExtract(contentId, keys, readText);
    this.#inFlight.set(name, extraction);
    try {
      return await extraction;
    } finally {
      this.#inFlight.delete(name);
    }
  }

  async #readAndExtract(
    contentId: string,
    keys: readonly string[],
    readText: () => Promise<string | null>,
  ): Promise<StateValue[] | null> {
    const text = await readText();
    if (text === null) return null;
    const values = text.length < largeLength ? extractValues(text, keys) : await this.#extract(text, keys);
    for (const [at, key] of keys.entries()) this.#values.set(`${contentId} ${key}`, { value: values[at] });
    return values;
  }

  #extract(text: string, keys: readonly string[]): Promise<StateValue[]> {
    return this.#inThread(
      { text, keys },
      () => extractValues(text, keys),
      (reply) => {
        if ('values' in reply) return reply.values;
        throw failureIn(reply);
      },
    );
  }

  #inThread<Result>(
    task: WithoutId<Task>,
    runInline: () => Result,
    resultOf: (reply: Reply) => Result,
  ): Promise<Result> {
    return new Promise((resolve, reject) => {
      const settle = (result: () => Result) => {
        try {
          resolve(result());
        } catch (error) {
          reject(error);
        }
      };
      const { worker, pending } = this.#leastBusy();
      const id = ++this.#lastId;
      pending.set(id, {
        runInline: () => settle(runInline),
        settle: (reply) => settle(() => resultOf(reply)),
      });
      worker.postMessage({ id, ...task } satisfies Task);
    });
  }

  /**
   * Parses a large body; its objects and arrays become `LargeValue`s.
   * @throws GantryError `body_not_json`, `body_too_deep`, `body_not_object`
   */
  async readInput(bytes: Buffer): Promise<Record<string, unknown>> {
    const fields = await this.#inThread({ body: bytes }, () => parseInput(bytes), fieldsOf);
    return toInput(fields);
  }

  /**
   * The same for a large socket call, given as JSON.
   * @throws GantryError `body_not_json`, `body_too_deep`, `body_not_object`
   */
  async readCall(call: string): Promise<LargeCall> {
    const { fields, ...target } = await this.#inThread({ call }, () => parseCall(call), callOf);
    return { ...target, input: toInput(fields) };
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.splice(0).map(({ worker }) => worker.terminate()));
  }

  #leastBusy(): Thread {
    const [first] = this.#threads.toSorted((one, other) => one.pending.size - other.pending.size);
    if (first && (first.pending.size === 0 || this.#threads.length >= this.#threadLimit)) return first;
    return this.#start();
  }

  #start(): Thread {
    const thread: Thread = { worker: this.#startThread(), pending: new Map() };
    const { worker, pending } = thread;
    worker.on('message', (reply: Reply) => {
      const task = pending.get(reply.id);
      pending.delete(reply.id);
      task?.settle(reply);
    });
    worker.on('error', () => {}); // handled by the exit that follows
    worker.once('exit', () => {
      const index = this.#threads.indexOf(thread);
      if (index !== -1) this.#threads.splice(index, 1);
      // Whatever ended the thread, its tasks run on the main thread, unnoticed by callers.
      for (const task of pending.values()) task.runInline();
    });
    worker.unref();
    this.#threads.push(thread);
    return thread;
  }
}

function stateOf(reply: Reply): CanonicalState {
  if ('state' in reply) return reply.state;
  throw failureIn(reply);
}

function fieldsOf(reply: Reply): LargeField[] {
  if ('fields' in reply) return reply.fields;
  throw failureIn(reply);
}

function callOf(reply: Reply): CallFields {
  if ('found' in reply) return reply.found;
  throw failureIn(reply);
}

function failureIn(reply: Reply): unknown {
  return 'failure' in reply ? fromFailure(reply.failure) : new Error('unexpected reply from a state thread');
}

/** The length of a cached value, at least 1. */
function lengthOf(value: StateValue): number {
  if (typeof value === 'string') return value.length + 1;
  return typeof value === 'object' && value !== null ? value.json.length : 1;
}
