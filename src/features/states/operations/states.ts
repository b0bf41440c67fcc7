import { z } from 'zod';
import { addressInput, success, text } from '../../../core/schemas/fields.ts';
import { pagingOf, shortened } from '../../../core/schemas/paging.ts';
import type { Store } from '../../../core/storage/store.ts';
import { defineOperation, ownerOf } from '../../operation.ts';
import { pageCost } from '../../operation-cost.ts';
import { removeState as remove, type StateWrite, saveState, saveStates } from '../commands.ts';
import { readPublicStatesPage, readStatesPage, type StateFilter } from '../queries.ts';
import { stateHead, stateLabel, stateRecord, writtenStateLabel } from '../state.ts';
import type { StatePatcher } from '../state-patcher.ts';
import type { StateReader } from '../state-reader.ts';
import {
  canonicalInput,
  ifVersion,
  isPublic,
  jsonOrText,
  jsonText,
  stateText,
  toStateRecord,
  toStatesResponse,
} from './state-fields.ts';

/** Selects states; an empty string counts as omitted. */
const stateFilter = {
  label: text(0, 200).optional().meta({ description: 'Only the state with this label' }),
  prefix: text(0, 200)
    .optional()
    .meta({ description: 'Only states whose labels start with this prefix, ordered by label' }),
};

function filterOf({ label, prefix }: StateFilter): StateFilter {
  return { label: label || undefined, prefix: prefix || undefined };
}

const statesOutput = z.object({ success, states: z.array(stateRecord), shortened });

export const getStates = defineOperation({
  name: 'getStates',
  service: 'launcher',
  aliases: ['getState'],
  kind: 'read',
  summary: "Read the player's states, latest first, optionally only those with a label or a label prefix",
  auth: 'player-or-server',
  input: z.object({ ...pagingOf(20), ...stateFilter }),
  cost: pageCost(50),
  output: statesOutput,
  async handler({ input, caller }, { db }: { db: Store }) {
    return toStatesResponse(await db.read(readStatesPage, ownerOf(caller), input, filterOf(input)));
  },
});

export const getPublicStates = defineOperation({
  name: 'getPublicStates',
  service: 'launcher',
  kind: 'read',
  summary: "Read a player's public states, ordered by label",
  auth: 'player', // a game's server reads any player's states with getStates
  input: z.object({ wallet: addressInput, ...pagingOf(20), ...stateFilter }),
  cost: pageCost(50),
  output: statesOutput,
  async handler({ input, caller }, { db }: { db: Store }) {
    const owner = { gameId: caller.session.gameId, wallet: input.wallet };
    return toStatesResponse(await db.read(readPublicStatesPage, owner, input, filterOf(input)));
  },
});

export const setState = defineOperation({
  name: 'setState',
  service: 'launcher',
  kind: 'write',
  summary: 'Store a state of the player under a label, replacing the previous one',
  auth: 'player-or-server',
  input: z.object({ state: stateText, label: writtenStateLabel, ifVersion, public: isPublic }),
  dispatchInput: z.object({ state: jsonOrText, label: writtenStateLabel, ifVersion, public: isPublic }),
  takesLargeValues: true,
  output: z.object({ success, newState: stateRecord }),
  async handler(
    { input: { state, label, ...options }, caller },
    { db, states, storageQuota }: { db: Store; states: StateReader; storageQuota: number },
  ) {
    const { json, ipfsHash } = await canonicalInput(state, 'state', states);
    const owner = ownerOf(caller);
    const head = await db.write(saveState, owner, label, json, ipfsHash, storageQuota, options);
    return { success: true, newState: toStateRecord({ ...head, json }) };
  },
});

const maxStates = 20;

/** `state`: its schema on the calling path. */
function stateList<State extends z.ZodType>(state: State) {
  // A misspelled `ifVersion` would overwrite any version.
  const item = z.strictObject({
    label: writtenStateLabel,
    state,
    // Clients in statically typed languages send null for omitted fields.
    ifVersion: ifVersion.nullish().transform((version) => version ?? undefined),
    public: isPublic.nullish().transform((given) => given ?? undefined),
  });
  return z
    .array(item)
    .min(1, `must contain 1 to ${maxStates} states`)
    .max(maxStates, `must contain 1 to ${maxStates} states`)
    .refine(
      (states) => new Set(states.map(({ label }) => label)).size === states.length,
      'must contain each label only once',
    )
    .meta({ description: `1 to ${maxStates} states with different labels` });
}

export const setStates = defineOperation({
  name: 'setStates',
  service: 'launcher',
  kind: 'write',
  summary: 'Store several states of the player atomically, each like `setState`',
  auth: 'player-or-server',
  serverOnlyWith: 'setState',
  input: z.object({ states: stateList(stateText) }),
  dispatchInput: z.object({ states: stateList(jsonOrText) }),
  takesLargeValues: true,
  cost: { text: 'one write for every state', of: ({ states }) => states.length },
  output: z.object({
    success,
    newStates: z.array(stateRecord).meta({ description: 'In the order of `states`' }),
  }),
  async handler(
    { input, caller },
    { db, states: reader, storageQuota }: { db: Store; states: StateReader; storageQuota: number },
  ) {
    const writes: StateWrite[] = [];
    for (const [at, { state, ...options }] of input.states.entries()) {
      writes.push({ ...options, ...(await canonicalInput(state, `states.${at}.state`, reader)) });
    }
    const heads = await db.write(saveStates, ownerOf(caller), writes, storageQuota);
    const newStates = writes.flatMap(({ json }, at) => {
      const head = heads[at];
      return head ? [toStateRecord({ ...head, json })] : [];
    });
    return { success: true, newStates };
  },
});

const patchText = jsonText(
  'A JSON merge patch (RFC 7396) as text: sets its members, and removes those that are null',
);

export const patchState = defineOperation({
  name: 'patchState',
  service: 'launcher',
  kind: 'write',
  summary:
    "Apply a JSON merge patch (RFC 7396) to the player's state under a label; a missing state starts as {}",
  auth: 'player-or-server',
  serverOnlyWith: 'setState',
  input: z.object({ label: writtenStateLabel, patch: patchText, ifVersion, public: isPublic }),
  dispatchInput: z.object({ label: writtenStateLabel, patch: jsonOrText, ifVersion, public: isPublic }),
  takesLargeValues: true,
  output: z.object({ success, newState: stateRecord }),
  async handler(
    { input: { label, patch, ...options }, caller },
    {
      db,
      states,
      statePatcher,
      storageQuota,
    }: { db: Store; states: StateReader; statePatcher: StatePatcher; storageQuota: number },
  ) {
    const { json } = await canonicalInput(patch, 'patch', states);
    const patched = await statePatcher.patch(db, ownerOf(caller), label, json, storageQuota, options);
    return { success: true, newState: toStateRecord(patched) };
  },
});

export const removeState = defineOperation({
  name: 'removeState',
  service: 'launcher',
  kind: 'write',
  summary: "Remove the player's state under a label; returns null if there was none",
  auth: 'player-or-server',
  serverOnlyWith: 'setState',
  input: z.object({ label: stateLabel, ifVersion }),
  output: z.object({ success, removedState: stateHead.nullable() }),
  async handler({ input: { label, ifVersion: version }, caller }, { db }: { db: Store }) {
    return { success: true, removedState: await db.write(remove, ownerOf(caller), label, version) };
  },
});
