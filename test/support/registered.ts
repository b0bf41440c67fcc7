import { type AnyOperation, kebabCase, Registry } from '../../src/features/operation.ts';
import { operations } from '../../src/server/declarations/operations.ts';

/** The registry the server is built from, which a suite over all operations iterates. */
export const registry = new Registry(operations);

/** The administrators' operations, which have paths under `/admin` and can be called in no other way. */
export const adminOperations = registry.operations.filter(({ auth }) => auth === 'admin');

/** All others: those that games and launchers call. */
export const launcherOperations = registry.operations.filter(({ auth }) => auth !== 'admin');

/** The operations that are called with a launcher token. */
export const takingToken = registry.operations.filter(takesToken);

export function takesToken({ auth }: AnyOperation): boolean {
  return needsToken({ auth }) || ['player-or-server', 'player-or-game', 'player-or-anyone'].includes(auth);
}

/** Whether only a launcher token is accepted: a game's server cannot call it. */
export function needsToken({ auth }: Pick<AnyOperation, 'auth'>): boolean {
  return auth === 'player' || auth === 'session';
}

/** Whether it is about the connection it is called over, so that it cannot be executed over HTTP. */
export function isAboutConnection({ service }: AnyOperation): boolean {
  return service === 'realtime-events';
}

/** Whether, in addition, the connection must have been opened with the caller's token. */
export function needsOwnConnection({ name, service }: AnyOperation): boolean {
  return service === 'realtime-events' && !/subscribe|gameStats/i.test(name);
}

export function operationNamed(name: string): AnyOperation {
  const operation = registry.operations.find((one) => one.name === name);
  if (!operation) throw new Error(`there is no operation ${name}`);
  return operation;
}

/** The path of an operation's own route. */
export function pathOf({ name, auth }: AnyOperation): string {
  return `${auth === 'admin' ? '/admin' : '/launcher'}/${kebabCase(name)}`;
}
