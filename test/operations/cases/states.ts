import type { Owner } from '../../../src/core/schemas/owner.ts';
import { saveState } from '../../../src/features/states/commands.ts';
import { readState } from '../../../src/features/states/state.ts';
import type { World } from '../../support/world.ts';
import { ownThings, playersOnly } from '../access.ts';
import type { LauncherCases } from '../operation-case.ts';

const stateHead = {
  _id: '<id>',
  gameId: '<game>',
  ipfsHash: '<cid>',
  normalizedAddress: '<owner>',
  label: 'save',
  updatedAt: '<time>',
  version: 1,
};

/** Stores a state under a label different from that of `save`, which contains what nobody else may read. */
async function keep(
  { server: { services } }: World,
  owner: Owner,
  label: string,
  text: string,
  isPublic = false,
): Promise<void> {
  const { json, ipfsHash } = readState(text);
  await services.db.write(saveState, owner, label, json, ipfsHash, undefined, { public: isPublic });
}

export const stateCases = {
  setState: {
    input: () => ({ label: 'save', state: '{"level":4,"items":["key",null],"hp":0.5}' }),
    answer: {
      success: true,
      newState: { ...stateHead, version: 2, state: { level: 4, items: ['key', null], hp: 0.5 } },
    },
    access: ownThings,
  },
  setStates: {
    input: () => ({
      states: [
        { label: 'inventory', state: '{"items":["key"]}', ifVersion: 0 },
        { label: 'card', state: '{"title":"Pilot"}', public: true },
      ],
    }),
    answer: {
      success: true,
      newStates: [
        { ...stateHead, label: 'inventory', state: { items: ['key'] } },
        { ...stateHead, label: 'card', public: true, state: { title: 'Pilot' } },
      ],
    },
    access: ownThings,
  },
  patchState: {
    async input(world) {
      await keep(world, world.owner, 'settings', '{"sound":{"music":7,"effects":3},"language":"en"}');
      return { label: 'settings', patch: '{"sound":{"music":5},"language":null}' };
    },
    answer: {
      success: true,
      newState: {
        ...stateHead,
        label: 'settings',
        version: 2,
        state: { sound: { music: 5, effects: 3 } },
      },
    },
    access: ownThings,
  },
  removeState: {
    async input(world) {
      await keep(world, world.owner, 'old', '{"level":1}');
      return { label: 'old' };
    },
    answer: { success: true, removedState: { ...stateHead, label: 'old' } },
    access: ownThings,
  },
  getStates: {
    input: () => ({ label: 'save' }),
    answer: { success: true, states: [{ ...stateHead, state: { level: 3, hero: '<state>' } }] },
    access: ownThings,
  },
  getPublicStates: {
    async input(world) {
      await keep(world, world.owner, 'card', '{"title":"Pilot"}', true);
      return { wallet: world.owner.wallet };
    },
    answer: {
      success: true,
      states: [
        {
          ...stateHead,
          label: 'card',
          public: true,
          state: { title: 'Pilot' },
        },
      ],
    },
    access: { ...ownThings, ...playersOnly },
  },
} satisfies Partial<LauncherCases>;
