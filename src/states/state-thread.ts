import { parentPort } from 'node:worker_threads';
import { toFailure } from '../runtime/failure.ts';
import { callIn, fieldsIn } from './large-input.ts';
import { readState } from './state.ts';
import type {
  FoundValues,
  FromThread,
  LargeBody,
  LargeCallText,
  ReadState,
  StoredText,
  ToThread,
} from './state-reader.ts';
import { valuesIn } from './state-values.ts';

/** A thread that reads large states; see `StateReader`. */
if (!parentPort) throw new Error('states are read in a thread of their own');
const port = parentPort;

port.on('message', (asked: ToThread) => {
  if ('body' in asked) port.postMessage(readInput(asked));
  else if ('call' in asked) port.postMessage(readCall(asked));
  else port.postMessage('keys' in asked ? find(asked) : read(asked.id, asked.text));
});

function readInput({ id, body }: LargeBody): FromThread {
  try {
    return { id, fields: fieldsIn(Buffer.from(body.buffer, body.byteOffset, body.byteLength)) };
  } catch (thrown) {
    return { id, failure: toFailure(thrown) };
  }
}

function readCall({ id, call }: LargeCallText): FromThread {
  try {
    return { id, found: callIn(call) };
  } catch (thrown) {
    return { id, failure: toFailure(thrown) };
  }
}

function find({ id, text, keys }: StoredText): FoundValues {
  return { id, values: valuesIn(text, keys) };
}

function read(id: number, text: string): ReadState {
  try {
    return { id, state: readState(text) };
  } catch (thrown) {
    return { id, failure: toFailure(thrown) };
  }
}
