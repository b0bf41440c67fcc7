import { ownThings } from '../access.ts';
import type { LauncherCases } from '../operation-case.ts';

const stateRecord = {
  _id: '<id>',
  gameId: '<game>',
  ipfsHash: '<cid>',
  normalizedAddress: '<owner>',
  label: 'save',
  updatedAt: '<time>',
};

export const stateCases = {
  setState: {
    input: () => ({ label: 'save', state: '{"level":4,"items":["key",null],"hp":0.5}' }),
    answer: {
      success: true,
      newState: { ...stateRecord, state: { level: 4, items: ['key', null], hp: 0.5 } },
    },
    access: ownThings,
  },
  getStates: {
    input: () => ({ label: 'save' }),
    answer: { success: true, states: [{ ...stateRecord, state: { level: 3, hero: '<state>' } }] },
    access: ownThings,
  },
} satisfies Partial<LauncherCases>;
