import { expect, test } from 'vitest';
import { runUnreliableRpc } from './unreliable-rpc.ts';

test('an RPC server that drops responses, fails, forgets and goes down delays actions, and duplicates none', async () => {
  const result = await runUnreliableRpc({ triggers: 20, share: 0.25, lowMs: 1_500 });
  process.stdout.write(`unreliable RPC: ${JSON.stringify(result)}\n`);
  expect(result).toMatchObject({ confirmed: 20, failed: 0, balances: 20, transactions: 20, gaps: 0 });
  expect(Math.min(...Object.values(result.faults))).toBeGreaterThan(0);
});
