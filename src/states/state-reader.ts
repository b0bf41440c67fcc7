import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import { type Failure, fromFailure } from '../runtime/failure.ts';
import { startThread } from '../runtime/start-thread.ts';
import {
  type CallFields,
  callIn,
  fieldsIn,
  inputOf,
  type LargeCall,
  type LargeField,
} from './large-input.ts';
import { mergedState } from './merge-patch.ts';
import { type CanonicalState, readState } from './state.ts';
import { type StateValue, valuesIn } from './state-values.ts';

/** To a thread: a text to read, and the path of the field it was sent in. */
export interface StateText {
  id: number;
  text: string;
  path: string | undefined;
}

/** To a thread: a stored state's text, and what is to be found in it. */
export interface StoredText {
  id: number;
  text: string;
  keys: readonly string[];
}

/** To a thread: a stored state's text, or null, and a patch to merge into it. */
export interface PatchedText {
  id: number;
  text: string | null;
  patch: string;
}

/** From a thread: what came of a text that was sent, or of a patch. */
export type ReadState = { id: number; state: CanonicalState } | { id: number; failure: Failure };
export interface FoundValues {
  id: number;
  values: StateValue[];
}

/** To a thread: an input to read. */
export interface LargeBody {
  id: number;
  body: Uint8Array;
}

/** To a thread: a call to read. */
export interface LargeCallText {
  id: number;
  call: string;
}

export interface FoundCall {
  id: number;
  found: CallFields;
}

export interface FoundFields {
  id: number;
  fields: LargeField[];
}

export type ToThread = StateText | StoredText | PatchedText | LargeBody | LargeCallText;
export type FromThread = ReadState | FoundValues | FoundFields | FoundCall;

/** A smaller text is read sooner than it is handed over: half a millisecond's work. */
const largeLength = 32 * 1024;
const maxThreads = 2;

/** The most text of values kept, in UTF-16 units. */
const keptLength = 4 * 1024 * 1024;

interface Reading {
  /** Does without the thread. */
  readHere(): void;
  take(answer: FromThread): void;
}

interface Thread {
  worker: Worker;
  readings: Map<number, Reading>;
}

/**
 * Reads states: those sent as text, what lies inside stored ones, and patches into them. A megabyte takes some 15 ms, in which nobody else
 * would be answered, so large ones are read by threads of their own, which begin with the first of them.
 */
export class StateReader {
  readonly #threads: Thread[] = [];
  readonly #mostThreads = Math.min(maxThreads, Math.max(1, availableParallelism() - 1));
  readonly #startThread: () => Worker;
  /** What is being looked for right now: calls that come together look once. */
  readonly #finding = new Map<string, Promise<StateValue[] | null>>();
  /** By content id and key: what has an id never changes. */
  readonly #values = new LRUCache<string, { value: StateValue }>({
    maxSize: keptLength,
    sizeCalculation: ({ value }, key) => key.length + lengthOf(value),
  });
  #lastId = 0;

  constructor(start = () => startThread('state-thread')) {
    this.#startThread = start;
  }

  /** `path`: of the field it was sent in. @throws GantryError `state_too_large`, `body_too_deep`, `state_not_json` */
  async read(text: string, path?: string): Promise<CanonicalState> {
    if (text.length < largeLength) return readState(text, path);
    return this.#inThread({ text, path }, () => readState(text, path), stateOf);
  }

  /** As `mergedState`, for large ones. @throws GantryError `state_too_large` */
  async merge(stored: string | null, patch: string): Promise<CanonicalState> {
    return this.#inThread({ text: stored, patch }, () => mergedState(stored, patch), stateOf);
  }

  /**
   * What lies under these keys of the stored state with this content id, in their order. `readText` is asked for its text
   * unless everything is known already; null when it is no longer there.
   */
  async valuesOf(
    contentId: string,
    keys: readonly string[],
    readText: () => Promise<string | null>,
  ): Promise<StateValue[] | null> {
    const known = keys.map((key) => this.#values.get(`${contentId} ${key}`));
    if (known.every((one) => one !== undefined)) return known.map(({ value }) => value);
    const name = JSON.stringify([contentId, ...keys]);
    const finding = this.#finding.get(name) ?? this.#findIn(contentId, keys, readText);
    this.#finding.set(name, finding);
    try {
      return await finding;
    } finally {
      this.#finding.delete(name);
    }
  }

  async #findIn(
    contentId: string,
    keys: readonly string[],
    readText: () => Promise<string | null>,
  ): Promise<StateValue[] | null> {
    const text = await readText();
    if (text === null) return null;
    const values = text.length < largeLength ? valuesIn(text, keys) : await this.#find(text, keys);
    for (const [at, key] of keys.entries()) this.#values.set(`${contentId} ${key}`, { value: values[at] });
    return values;
  }

  #find(text: string, keys: readonly string[]): Promise<StateValue[]> {
    return this.#inThread(
      { text, keys },
      () => valuesIn(text, keys),
      (answer) => {
        if ('values' in answer) return answer.values;
        throw 'failure' in answer
          ? fromFailure(answer.failure)
          : new Error('a thread answered something else');
      },
    );
  }

  #inThread<Result>(
    task:
      | Omit<StateText, 'id'>
      | Omit<StoredText, 'id'>
      | Omit<PatchedText, 'id'>
      | Omit<LargeBody, 'id'>
      | Omit<LargeCallText, 'id'>,
    doHere: () => Result,
    resultOf: (answer: FromThread) => Result,
  ): Promise<Result> {
    return new Promise((resolve, reject) => {
      const settle = (make: () => Result) => {
        try {
          resolve(make());
        } catch (error) {
          reject(error);
        }
      };
      const { worker, readings } = this.#leastBusy();
      const id = ++this.#lastId;
      readings.set(id, { readHere: () => settle(doHere), take: (answer) => settle(() => resultOf(answer)) });
      worker.postMessage({ id, ...task } satisfies ToThread);
    });
  }

  /**
   * Reads a large body; the objects and lists in it become `LargeValue`s.
   * @throws GantryError `body_not_json`, `body_too_deep`, `body_not_object`
   */
  async readInput(bytes: Buffer): Promise<Record<string, unknown>> {
    const fields = await this.#inThread({ body: bytes }, () => fieldsIn(bytes), fieldsOf);
    return inputOf(fields);
  }

  /**
   * The same for a large call of a socket, given as JSON.
   * @throws GantryError `body_not_json`, `body_too_deep`, `body_not_object`
   */
  async readCall(call: string): Promise<LargeCall> {
    const { fields, ...named } = await this.#inThread({ call }, () => callIn(call), callOf);
    return { ...named, input: inputOf(fields) };
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.splice(0).map(({ worker }) => worker.terminate()));
  }

  #leastBusy(): Thread {
    const [first] = this.#threads.toSorted((one, other) => one.readings.size - other.readings.size);
    if (first && (first.readings.size === 0 || this.#threads.length >= this.#mostThreads)) return first;
    return this.#start();
  }

  #start(): Thread {
    const thread: Thread = { worker: this.#startThread(), readings: new Map() };
    const { worker, readings } = thread;
    worker.on('message', (answer: FromThread) => {
      const reading = readings.get(answer.id);
      readings.delete(answer.id);
      reading?.take(answer);
    });
    worker.on('error', () => {}); // said by what follows: an exit
    worker.once('exit', () => {
      const index = this.#threads.indexOf(thread);
      if (index !== -1) this.#threads.splice(index, 1);
      // The thread is gone, whatever the reason; callers need not know.
      for (const reading of readings.values()) reading.readHere();
    });
    worker.unref();
    this.#threads.push(thread);
    return thread;
  }
}

function stateOf(answer: FromThread): CanonicalState {
  if ('state' in answer) return answer.state;
  throw 'failure' in answer ? fromFailure(answer.failure) : new Error('a thread answered something else');
}

function fieldsOf(answer: FromThread): LargeField[] {
  if ('fields' in answer) return answer.fields;
  throw 'failure' in answer ? fromFailure(answer.failure) : new Error('a thread answered something else');
}

function callOf(answer: FromThread): CallFields {
  if ('found' in answer) return answer.found;
  throw 'failure' in answer ? fromFailure(answer.failure) : new Error('a thread answered something else');
}

/** Of what is kept of a value, at least 1. */
function lengthOf(value: StateValue): number {
  if (typeof value === 'string') return value.length + 1;
  return typeof value === 'object' && value !== null ? value.json.length : 1;
}
