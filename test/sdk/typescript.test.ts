import { describe } from 'vitest';
import { describeClientRules } from './client-rules.ts';
import { Driver } from './driver.ts';
import { typescriptDriver } from './drivers.ts';
import { describeWithRealServer } from './real-server.ts';

describe('the TypeScript client in Node', () => {
  describeClientRules(() => Driver.start(typescriptDriver));
  describeWithRealServer(() => Driver.start(typescriptDriver));
});
