import type { z } from 'zod';
import type { Reason } from '../../src/core/errors.ts';
import type { operations } from '../../src/server/declarations/operations.ts';
import type { CanaryName, Role, World } from '../support/world.ts';
import type { AccessByRole } from './access.ts';

type Operation = (typeof operations)[number];
type AdminOperation = Extract<Operation, { auth: 'admin' }>;
export type OperationName = Operation['name'];
export type AdminOperationName = AdminOperation['name'];
export type LauncherOperationName = Exclude<Operation, AdminOperation>['name'];
export type InputOf<Name extends OperationName> = z.input<Extract<Operation, { name: Name }>['input']>;

/** How an operation is called, and what it returns. */
export interface OperationCase<Input = Record<string, unknown>> {
  /**
   * Sets up what the call needs and returns its input, without the token. For a role other than the owner it targets
   * the owner's data.
   */
  input(world: World, by: Role): Input | Promise<Input>;
  /** The role whose call returns `answer`, if not the owner. */
  caller?: Role;
  /** As normalized by `support/normalise.ts`. */
  answer: unknown;
  /** The reason with which it is refused on PostgreSQL for all callers. */
  refusedOnPostgres?: Reason;
}

/** For an operation that games and launchers call, thus with access rules. */
export interface LauncherCase<Input = Record<string, unknown>> extends OperationCase<Input> {
  access: AccessByRole;
  /** What the response makes public, by INTERFACE.md. */
  publishes?: readonly CanaryName[];
}

export type LauncherCases = { readonly [Name in LauncherOperationName]: LauncherCase<InputOf<Name>> };
export type AdminCases = { readonly [Name in AdminOperationName]: OperationCase<InputOf<Name>> };
