import { neverRepeated, repeatable, repeatableWithKey } from './operation-names.ts';
import type { OperationInput, OperationName, OperationOutput } from './operation-types.ts';

/** An operation's input and options; the input may be omitted if all its fields are optional. */
export type CallArguments<Name extends OperationName> =
  Record<never, never> extends OperationInput<Name>
    ? [input?: OperationInput<Name>, options?: CallOptions]
    : [input: OperationInput<Name>, options?: CallOptions];

/** Every operation as a method. */
export type Api = {
  readonly [Name in OperationName]: (...args: CallArguments<Name>) => Promise<OperationOutput<Name>>;
};

/** The options of a call. */
export interface CallOptions {
  /** A write that is retried with the same key is executed once and gets the same response. */
  idempotencyKey?: string;
}

const operationNames: ReadonlySet<string> = new Set([...repeatable, ...repeatableWithKey, ...neverRepeated]);

export type Call = <Name extends OperationName>(
  name: Name,
  ...args: CallArguments<Name>
) => Promise<OperationOutput<Name>>;

/** Operations by name and as methods. */
export function calling(call: Call): { call: Call; api: Api } {
  return { call, api: apiOf(call) };
}

export function apiOf(call: Call): Api {
  return new Proxy({} as Api, {
    // No other properties: an object with a `then` would be treated as a promise.
    get: (_, name) =>
      typeof name === 'string' && operationNames.has(name)
        ? (...args: [never]) => call(name as OperationName, ...args)
        : undefined,
  });
}
