import { toFailure } from '../runtime/failure.ts';
import { runThread } from '../runtime/run-thread.ts';
import { callIn, fieldsIn } from './large-input.ts';
import { mergedState } from './merge-patch.ts';
import { type CanonicalState, readState } from './state.ts';
import type {
  FoundValues,
  FromThread,
  LargeBody,
  LargeCallText,
  PatchedText,
  ReadState,
  StateText,
  StoredText,
  ToThread,
} from './state-reader.ts';
import { valuesIn } from './state-values.ts';

/** A thread that reads large states; see `StateReader`. */
runThread((port) => {
  port.on('message', (asked: ToThread) => {
    if ('body' in asked) port.postMessage(readInput(asked));
    else if ('call' in asked) port.postMessage(readCall(asked));
    else port.postMessage('keys' in asked ? find(asked) : 'patch' in asked ? merge(asked) : read(asked));
  });
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

function read({ id, text, path }: StateText): ReadState {
  return stateOrFailure(id, () => readState(text, path));
}

function merge({ id, text, patch }: PatchedText): ReadState {
  return stateOrFailure(id, () => mergedState(text, patch));
}

function stateOrFailure(id: number, make: () => CanonicalState): ReadState {
  try {
    return { id, state: make() };
  } catch (thrown) {
    return { id, failure: toFailure(thrown) };
  }
}
