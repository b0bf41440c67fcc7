import type { AnyOperation } from '../../src/operations/define.ts';
import { operations } from '../../src/operations/operations.ts';
import { Registry } from '../../src/operations/registry.ts';

/** The registry the server is built from: what a suite over every operation goes through. */
export const registry = new Registry(operations);

/** The operations that are called with a launcher token. */
export const takingToken = registry.operations.filter(takesToken);

export function takesToken({ auth }: AnyOperation): boolean {
  return auth === 'player' || auth === 'session';
}

export function operationNamed(name: string): AnyOperation {
  const operation = registry.operations.find((one) => one.name === name);
  if (!operation) throw new Error(`there is no operation ${name}`);
  return operation;
}
