import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { FileTokenKeys } from '../../src/features/sessions/file-token-keys.ts';
import { TokenKeys } from '../../src/features/sessions/token-keys.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

afterEach(() => void vi.useRealTimers());

test('a running server stops accepting a leaked key within seconds, also after the clock was set back', async () => {
  await using directory = await temporaryDirectory();
  const file = join(directory.path, 'keys.json');
  const running = new TokenKeys(new FileTokenKeys(file));
  const { kid } = await running.signingKey();
  expect(await running.verifies(kid)).toBe(true);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 60 * 60_000 });
  await new TokenKeys(new FileTokenKeys(file)).rotate(0);
  await until('the old key refused', async () => !(await running.verifies(kid)), 10_000);
});
