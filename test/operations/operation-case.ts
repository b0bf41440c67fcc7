import type { z } from 'zod';
import type { operations } from '../../src/catalogue/operations.ts';
import type { Reason } from '../../src/errors.ts';
import type { CanaryName, Role, World } from '../support/world.ts';
import type { AccessByRole } from './access.ts';

type Operation = (typeof operations)[number];
type AdminOperation = Extract<Operation, { auth: 'admin' }>;
export type OperationName = Operation['name'];
export type AdminOperationName = AdminOperation['name'];
export type LauncherOperationName = Exclude<Operation, AdminOperation>['name'];
export type InputOf<Name extends OperationName> = z.input<Extract<Operation, { name: Name }>['input']>;

/** How an operation is called, and what it answers. */
export interface OperationCase<Input = Record<string, unknown>> {
  /**
   * Puts in place what the call needs and gives its input, without the token. For a role that is not the
   * owner it aims at the owner's things.
   */
  input(world: World, by: Role): Input | Promise<Input>;
  /** Whose call `answer` is the answer to, when it is not the owner's. */
  caller?: Role;
  /** As `support/normalise.ts` leaves it. */
  answer: unknown;
  /** With which reason it is refused on PostgreSQL, whoever calls. */
  refusedOnPostgres?: Reason;
}

/** Of an operation that games and launchers call, and so with who may call it. */
export interface LauncherCase<Input = Record<string, unknown>> extends OperationCase<Input> {
  access: AccessByRole;
  /** What the answer makes public, by INTERFACE.md. */
  publishes?: readonly CanaryName[];
}

export type LauncherCases = { readonly [Name in LauncherOperationName]: LauncherCase<InputOf<Name>> };
export type AdminCases = { readonly [Name in AdminOperationName]: OperationCase<InputOf<Name>> };
