import { parentPort } from 'node:worker_threads';
import { readState } from '../domain/state.ts';
import { toFailure } from '../threads/failure.ts';
import type { ReadState, StateText } from './state-reader.ts';

/** A thread that reads states sent as text; see `StateReader`. */
if (!parentPort) throw new Error('states are read in a thread of their own');
const port = parentPort;

port.on('message', ({ id, text }: StateText) => port.postMessage(read(id, text)));

function read(id: number, text: string): ReadState {
  try {
    return { id, state: readState(text) };
  } catch (thrown) {
    return { id, failure: toFailure(thrown) };
  }
}
