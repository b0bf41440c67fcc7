import type { z } from 'zod';
import type { EventName, EventRecord, SignalName, SignalRecord } from '../catalogue/events.ts';
import type { operations } from '../catalogue/operations.ts';

type AnyOf = (typeof operations)[number];
type Named<Name extends OperationName> = Extract<AnyOf, { name: Name }>;

/** The name of every operation. */
export type OperationName = AnyOf['name'];

/** An operation's input; the client adds the token. */
export type OperationInput<Name extends OperationName> = z.input<
  NonNullable<Named<Name>['dispatchInput' | 'input']>
>;

/** An operation's output. */
export type OperationOutput<Name extends OperationName> = z.output<Named<Name>['output']>;

/** Every event and signal a client can listen to, with its record. */
export type Heard = { [Name in EventName]: EventRecord<Name> } & { [Name in SignalName]: SignalRecord<Name> };
export type HeardName = keyof Heard;
