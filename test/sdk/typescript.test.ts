import { describe } from 'vitest';
import { Driver } from './driver.ts';
import { typescriptDriver } from './drivers.ts';
import { describeWithRealServer } from './real-server.ts';
import { describeRules } from './rules.ts';

describe('the TypeScript client in Node', () => {
  describeRules(() => Driver.start(typescriptDriver));
  describeWithRealServer(() => Driver.start(typescriptDriver));
});
