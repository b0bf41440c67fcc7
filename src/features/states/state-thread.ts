import { toFailure } from '../../core/failure.ts';
import { runThread } from '../../runtime/run-thread.ts';
import { parseCall, parseInput } from './large-input.ts';
import { mergedState } from './merge-patch.ts';
import { type CanonicalState, readState } from './state.ts';
import type {
  CallTask,
  ExtractTask,
  InputTask,
  MergeTask,
  ReadTask,
  Reply,
  StateReply,
  Task,
  ValuesReply,
} from './state-reader.ts';
import { extractValues } from './state-values.ts';

/** A worker thread that reads large states; see `StateReader`. */
runThread((port) => {
  port.on('message', (task: Task) => {
    if ('body' in task) port.postMessage(readInput(task));
    else if ('call' in task) port.postMessage(readCall(task));
    else port.postMessage('keys' in task ? extract(task) : 'patch' in task ? merge(task) : read(task));
  });
});

function readInput({ id, body }: InputTask): Reply {
  try {
    return { id, fields: parseInput(Buffer.from(body.buffer, body.byteOffset, body.byteLength)) };
  } catch (thrown) {
    return { id, failure: toFailure(thrown) };
  }
}

function readCall({ id, call }: CallTask): Reply {
  try {
    return { id, found: parseCall(call) };
  } catch (thrown) {
    return { id, failure: toFailure(thrown) };
  }
}

function extract({ id, text, keys }: ExtractTask): ValuesReply {
  return { id, values: extractValues(text, keys) };
}

function read({ id, text, path }: ReadTask): StateReply {
  return stateOrFailure(id, () => readState(text, path));
}

function merge({ id, text, patch }: MergeTask): StateReply {
  return stateOrFailure(id, () => mergedState(text, patch));
}

function stateOrFailure(id: number, produce: () => CanonicalState): StateReply {
  try {
    return { id, state: produce() };
  } catch (thrown) {
    return { id, failure: toFailure(thrown) };
  }
}
