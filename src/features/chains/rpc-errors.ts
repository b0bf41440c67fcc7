import type { Abi, Hex } from 'viem';
import { decodeErrorResult } from 'viem/utils';

/** Types a text that is known to begin with `0x` for viem. */
export function asHex(text: string): Hex {
  return `0x${text.slice(2)}`;
}

/** The RPC server has returned an invalid response. */
export class UnusableAnswerError extends Error {
  override readonly name = 'UnusableAnswerError';
}

/** The error and its causes, outermost first. viem's classes are not imported, because viem is slow to load. */
function chainOf(error: unknown): Error[] {
  const errors: Error[] = [];
  for (let at = error; at instanceof Error && errors.length < 20; at = at.cause) errors.push(at);
  return errors;
}

/** Whether the RPC server was unreachable, refused to respond or responded invalidly: a transient failure. */
export function isUnreachable(error: unknown): boolean {
  const names = [
    'HttpRequestError',
    'TimeoutError',
    'LimitExceededRpcError',
    'InternalRpcError',
    'ParseRpcError',
    'UnusableAnswerError',
  ];
  return chainOf(error).some(({ name }) => names.includes(name)) && revertOf(error) === null;
}

export function isOutOfFunds(error: unknown): boolean {
  return chainOf(error).some(
    ({ name, message }) => name === 'InsufficientFundsError' || /insufficient funds/i.test(message),
  );
}

/** The contract's data or the RPC server's message of a reverted call; null: it is another error. */
function revertOf(error: unknown): { data: Hex } | { text: string } | null {
  const errors = chainOf(error);
  const data = errors.map(dataOf).find((found) => found !== null && found !== '0x');
  if (data) return { data };
  const text = errors
    .map(({ message }) => /execution reverted(?:: ?([^\n]*))?/i.exec(message))
    .findLast(Boolean);
  return text ? { text: text[1] ?? '' } : null;
}

/** The data that a contract returned as its error, in the places where RPC servers put it. */
function dataOf(error: Error): Hex | null {
  const data: unknown = 'data' in error ? error.data : undefined;
  const inner: unknown = typeof data === 'object' && data !== null && 'data' in data ? data.data : data;
  return typeof inner === 'string' && /^0x[0-9a-f]*$/i.test(inner) ? asHex(inner) : null;
}

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
