import type { Abi, Hex } from 'viem';
import { decodeErrorResult } from 'viem/utils';
import { revertOf } from './rpc-errors.ts';

/** Why a call reverted: the contract's message, the name of its error, or its data; null: it was no revert. */
export function revertReason(error: unknown, abi: Abi): string | null {
  const revert = revertOf(error);
  if (!revert) return null;
  if ('data' in revert) return decoded(revert.data, abi);
  return revert.text ? `reverted: ${revert.text}` : 'reverted without a reason';
}

function decoded(data: Hex, abi: Abi): string {
  try {
    const { errorName, args = [] } = decodeErrorResult({ abi, data });
    if (errorName === 'Error') return `reverted: ${String(args[0])}`;
    if (errorName === 'Panic') return `reverted: Panic(${String(args[0])})`;
    return `reverted: ${errorName}(${args.map(String).join(', ')})`;
  } catch {
    return `reverted with data ${data.slice(0, 138)}`;
  }
}
