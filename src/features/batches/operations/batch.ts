import { z } from 'zod';
import { success, text } from '../../../core/schemas/fields.ts';
import { notSeen } from '../../../core/schemas/seen-text.ts';
import type { RunBatch } from '../../batched-call.ts';
import { defineOperation } from '../../operation.ts';

const maxOperations = 100;

export const batch = defineOperation({
  name: 'batch',
  service: 'launcher',
  kind: 'write',
  summary: 'Run up to 100 writes atomically in one transaction',
  auth: 'player-or-game',
  input: z.object({
    operations: z
      .array(
        z.object({
          method: notSeen(text(1, 100), 'choice').meta({
            description: 'Name of a write operation',
          }),
          data: notSeen(z.record(z.string(), z.unknown()), 'elsewhere').default({}).meta({
            description:
              "The operation's input, as in method dispatch; a game's server adds the player's wallet",
          }),
        }),
      )
      .min(1, 'must have at least one operation')
      .max(maxOperations, `must have at most ${maxOperations} operations`),
  }),
  output: z.object({
    success,
    results: z.array(z.unknown()).meta({ description: 'The result of each operation, in order' }),
  }),
  async handler({ input }, { runBatch }: { runBatch?: RunBatch | undefined }) {
    if (!runBatch) throw new Error('batches are not supported by this caller');
    return { success: true, results: await runBatch(input.operations) };
  },
});
