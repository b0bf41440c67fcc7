import { type AbiFunction, parseAbi, parseAbiItem } from 'abitype';
import type { z } from 'zod';

/** What a chain's contract is asked to do, with its arguments as texts; made when the trigger came. */
export interface ContractCall {
  chainId: number;
  /** Lowercase. */
  contract: string;
  /** A human-readable ABI signature, `function mint(address to, uint256 amount)`. */
  function: string;
  args: readonly string[];
  /** Human-readable signatures of the contract's own errors, `error NotYours(address owner)`. */
  errors: readonly string[];
  /** The gas limit; undefined: estimated, which also finds out beforehand what would revert. */
  gas: number | undefined;
}

/** @throws Error saying what is wrong with the signature */
export function parseFunction(signature: string): AbiFunction {
  // The type is wider than what a signature that is only known now can give.
  const item: unknown = parseAbiItem([signature]);
  const parsed = item as AbiFunction;
  if (parsed.type !== 'function') throw new Error('must begin with "function"');
  return parsed;
}

/** Says in the issue list what is wrong with a function's signature and the number of its arguments. */
export function checkSignature(
  {
    function: signature,
    args,
    errors = [],
  }: { function: string; args: readonly string[]; errors?: readonly string[] | undefined },
  context: z.RefinementCtx,
): void {
  const refuse = (path: string, message: string) =>
    context.addIssue({ code: 'custom', path: [path], message });
  try {
    const { inputs } = parseFunction(signature);
    const unusable = inputs.find(({ type }) => !isUsable(type));
    if (unusable) refuse('function', `takes a ${unusable.type}, which no argument here can be`);
    if (inputs.length !== args.length) {
      refuse('args', `the function takes ${inputs.length} arguments, and ${args.length} are given`);
    }
  } catch (error) {
    refuse(
      'function',
      `is no human-readable ABI signature such as "function mint(address to, uint256 amount)": ${firstLine(error)}`,
    );
  }
  try {
    if (errors.length > 0) parseAbi([...errors]);
  } catch (error) {
    refuse(
      'errors',
      `are no human-readable ABI signatures such as "error NotYours(address owner)": ${firstLine(error)}`,
    );
  }
}

function isUsable(type: string): boolean {
  return /^(address|bool|string|bytes([1-9]|[12]\d|3[0-2])?|u?int(\d+)?)(\[\])?$/.test(type);
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}

/**
 * The texts as values of the function's types.
 * @throws Error in words when one is of another type
 */
export function typedArguments(signature: string, args: readonly string[]): unknown[] {
  return parseFunction(signature).inputs.map(({ type, name }, index) => {
    try {
      return typed(type, args[index] ?? '');
    } catch (error) {
      throw new Error(`argument ${index + 1}${name ? ` (${name})` : ''}: ${firstLine(error)}`);
    }
  });
}

function typed(type: string, text: string): unknown {
  if (type.endsWith('[]')) {
    const items: unknown = JSON.parse(text);
    if (!Array.isArray(items)) throw new Error('must be a JSON array');
    return items.map((item) => typed(type.slice(0, -2), String(item)));
  }
  if (type === 'string') return text;
  if (type === 'bool') {
    if (text !== 'true' && text !== 'false') throw new Error(`"${text}" is neither true nor false`);
    return text === 'true';
  }
  if (type === 'address') {
    if (!/^0x[0-9a-fA-F]{40}$/.test(text)) throw new Error(`"${text}" is no address`);
    return text.toLowerCase();
  }
  if (type.startsWith('bytes')) return bytes(text, Number(type.slice(5)) || null);
  return integer(type, text);
}

/** Hexadecimal (`0x…`) as it is, any other text as its UTF-8; a fixed size is filled up behind. */
function bytes(text: string, size: number | null): string {
  const hex = /^0x([0-9a-fA-F]{2})*$/.test(text) ? text.slice(2) : Buffer.from(text).toString('hex');
  if (size === null) return `0x${hex}`;
  if (hex.length > size * 2) throw new Error(`"${text}" is longer than ${size} bytes`);
  return `0x${hex.padEnd(size * 2, '0')}`;
}

function integer(type: string, text: string): bigint {
  if (!/^-?\d{1,78}$/.test(text)) throw new Error(`"${text}" is no whole number`);
  const value = BigInt(text);
  const [, unsigned, bits = '256'] = /^(u?)int(\d*)$/.exec(type) ?? [];
  const size = BigInt(bits || '256');
  const [least, most] = unsigned ? [0n, 2n ** size - 1n] : [-(2n ** (size - 1n)), 2n ** (size - 1n) - 1n];
  if (value < least || value > most) throw new Error(`${text} does not fit ${type}`);
  return value;
}
