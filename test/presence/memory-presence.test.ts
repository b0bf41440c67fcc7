import { MemoryPresence } from '../../src/cluster/presence/memory-presence.ts';
import { presenceContract } from '../contracts/presence.contract.ts';

presenceContract('MemoryPresence', async () => {
  let now = 1_000_000;
  const presence = new MemoryPresence(() => now);
  return {
    presence,
    async advance(ms) {
      now += ms;
      presence.sweep();
    },
    [Symbol.asyncDispose]: () => presence.close(),
  };
});
