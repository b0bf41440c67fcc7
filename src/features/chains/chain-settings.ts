import { z } from 'zod';
import type { ChainRpcs } from './contract-wallets.ts';

const rpcsById = z.record(
  z.string().regex(/^[1-9]\d*$/, 'chain IDs must be integers'),
  z.array(z.url({ protocol: /^https?$/ })).min(1),
);

/** RPC servers by chain ID, as JSON. */
export const chainRpcs = z.string().transform((text, context): ChainRpcs => {
  const result = rpcsById.safeParse(jsonOf(text));
  if (result.success) return new Map(Object.entries(result.data).map(([id, urls]) => [Number(id), urls]));
  context.addIssue({ code: 'custom', message: 'must be JSON of the form {"1":["https://rpc.example"]}' });
  return z.NEVER;
});

const keysByName = z.record(
  z.string().min(1).max(100),
  z.templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]{64}$/)]),
);

/** Private keys by name, as JSON. Error messages must not include the keys. */
export const signerKeys = z.string().transform((text, context): Record<string, `0x${string}`> => {
  const result = keysByName.safeParse(jsonOf(text));
  if (result.success && new Set(Object.values(result.data)).size === Object.keys(result.data).length) {
    return result.data;
  }
  context.addIssue({
    code: 'custom',
    message: result.success
      ? 'contains the same key under two names'
      : 'must be JSON of the form {"default":"0x…"}, each key 0x and 64 hex digits',
  });
  return z.NEVER;
});

/** Undefined when it is not JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
