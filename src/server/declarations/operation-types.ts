import type { z } from 'zod';
import type { operations } from './operations.ts';

type AnyOf = (typeof operations)[number];
type Named<Name extends OperationName> = Extract<AnyOf, { name: Name }>;

/** The name of every operation, including those of administrators. */
export type OperationName = AnyOf['name'];

/** An operation's input, without credentials. */
export type OperationInput<Name extends OperationName> = z.input<
  NonNullable<Named<Name>['dispatchInput' | 'input']>
>;

/** An operation's output. */
export type OperationOutput<Name extends OperationName> = z.output<Named<Name>['output']>;
