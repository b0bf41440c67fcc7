import { type AbiFunction, parseAbi, parseAbiItem } from 'abitype';
import type { z } from 'zod';

/** A contract call with its arguments as texts, built at the trigger. */
export interface ContractCall {
  chainId: number;
  /** Lowercase. */
  contract: string;
  /** A human-readable ABI signature, `function mint(address to, uint256 amount)`. */
  function: string;
  args: readonly string[];
  /** Human-readable signatures of the contract's own errors, `error NotYours(address owner)`. */
  errors: readonly string[];
  /** The gas limit; undefined: estimated, which also detects a revert before sending. */
  gas: number | undefined;
}

/** @throws Error that describes what is wrong with the signature */
export function parseFunction(signature: string): AbiFunction {
  // abitype cannot infer a type from a signature that is only known at run time.
  const item: unknown = parseAbiItem([signature]);
  const parsed = item as AbiFunction;
  if (parsed.type !== 'function') throw new Error('must begin with "function"');
  return parsed;
}

/** Adds issues for an invalid function signature, number of arguments or error signatures. */
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
    const unsupported = inputs.find(({ type }) => !isSupported(type));
    if (unsupported)
      refuse('function', `has a parameter of type ${unsupported.type}, which is not supported`);
    if (inputs.length !== args.length) {
      refuse('args', `the function takes ${inputs.length} arguments, but ${args.length} were given`);
    }
  } catch (error) {
    refuse(
      'function',
      `is not a human-readable ABI signature such as "function mint(address to, uint256 amount)": ${firstLine(error)}`,
    );
  }
  try {
    if (errors.length > 0) parseAbi([...errors]);
  } catch (error) {
    refuse(
      'errors',
      `are not human-readable ABI signatures such as "error NotYours(address owner)": ${firstLine(error)}`,
    );
  }
}

function isSupported(type: string): boolean {
  return /^(address|bool|string|bytes([1-9]|[12]\d|3[0-2])?|u?int(\d+)?)(\[\])?$/.test(type);
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}

/**
 * Parses the texts as values of the function's parameter types.
 * @throws Error that names the argument that does not fit its type
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
    if (text !== 'true' && text !== 'false') throw new Error(`"${text}" is not true or false`);
    return text === 'true';
  }
  if (type === 'address') {
    if (!/^0x[0-9a-fA-F]{40}$/.test(text)) throw new Error(`"${text}" is not an address`);
    return text.toLowerCase();
  }
  if (type.startsWith('bytes')) return bytes(text, Number(type.slice(5)) || null);
  return integer(type, text);
}

/** Hexadecimal (`0x…`) as is, any other text as UTF-8; a fixed size is padded with trailing zeros. */
function bytes(text: string, size: number | null): string {
  const hex = /^0x([0-9a-fA-F]{2})*$/.test(text) ? text.slice(2) : Buffer.from(text).toString('hex');
  if (size === null) return `0x${hex}`;
  if (hex.length > size * 2) throw new Error(`"${text}" is longer than ${size} bytes`);
  return `0x${hex.padEnd(size * 2, '0')}`;
}

function integer(type: string, text: string): bigint {
  if (!/^-?\d{1,78}$/.test(text)) throw new Error(`"${text}" is not an integer`);
  const value = BigInt(text);
  const [, unsigned, bits = '256'] = /^(u?)int(\d*)$/.exec(type) ?? [];
  const size = BigInt(bits || '256');
  const [least, most] = unsigned ? [0n, 2n ** size - 1n] : [-(2n ** (size - 1n)), 2n ** (size - 1n) - 1n];
  if (value < least || value > most) throw new Error(`${text} does not fit ${type}`);
  return value;
}
