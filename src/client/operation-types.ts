import type { z } from 'zod';
import type { EventName, EventRecord, SignalName, SignalRecord } from '../events/catalogue.ts';
import type { operations } from '../operations/operations.ts';

type AnyOf = (typeof operations)[number];
type Named<Name extends OperationName> = Extract<AnyOf, { name: Name }>;

/** The name of every operation there is. */
export type OperationName = AnyOf['name'];

/** What an operation takes; the token is added by the client. */
export type OperationInput<Name extends OperationName> = z.input<
  NonNullable<Named<Name>['dispatchInput' | 'input']>
>;

/** What an operation answers. */
export type OperationOutput<Name extends OperationName> = z.output<Named<Name>['output']>;

/** Everything a client can listen to, with its record. */
export type Heard = { [Name in EventName]: EventRecord<Name> } & { [Name in SignalName]: SignalRecord<Name> };
export type HeardName = keyof Heard;
