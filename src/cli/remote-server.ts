import { z } from 'zod';
import type { AnyOperation } from '../operations/define.ts';
import { kebabCase } from '../operations/registry.ts';
import type { Execute } from './as-administrator.ts';

/** How long a server may take to answer, in milliseconds. */
const defaultAnswerWithinMs = 30_000;

/** What a server that has not answered goes on with, by the name of the operation. */
const goesOnWith: Readonly<Record<string, string>> = {
  deleteGame: 'It goes on deleting the game, which is archived until it is gone: see gantry game list',
  erasePlayer: 'It goes on erasing the player, who is banned until that is done',
  makeBackup: 'It goes on making the backup',
};

const errorBody = z.object({ success: z.literal(false), message: z.string() });

/** A server at a URL refused a command, or could not be reached; the message says which. */
export class RemoteError extends Error {}

/** Carries out operations on the server at a URL, administrators' ones with its admin token. */
export function executeOn(
  serverUrl: URL,
  token: string,
  answerWithinMs: number = defaultAnswerWithinMs,
): Execute {
  return async (operation: AnyOperation, input: unknown) => {
    const isForAdministrators = operation.auth === 'admin';
    const path = `${isForAdministrators ? 'admin' : 'launcher'}/${kebabCase(operation.name)}`;
    const base = serverUrl.href.endsWith('/') ? serverUrl.href : `${serverUrl.href}/`;
    const answer = await post(new URL(path, base), input, {
      token: isForAdministrators ? token : null,
      withinMs: answerWithinMs,
    });
    if (answer === 'late') {
      const within = `${serverUrl.origin} has not answered within ${answerWithinMs / 1000} s`;
      throw new RemoteError(`${within}. ${whatHappens(operation)}`);
    }
    const { status, body } = answer;
    if (status === 200) return body;
    const refused = errorBody.safeParse(body);
    if (!refused.success) {
      throw new RemoteError(`${serverUrl.origin} answered with status ${status}, and not as Gantry does`);
    }
    throw new RemoteError(refused.data.message);
  };
}

function whatHappens({ name, kind }: AnyOperation): string {
  if (kind === 'read') return 'Try again';
  return goesOnWith[name] ?? 'It may have carried the command out: look before you repeat it';
}

async function post(
  url: URL,
  input: unknown,
  { token, withinMs }: { token: string | null; withinMs: number },
): Promise<{ status: number; body: unknown } | 'late'> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
      body: JSON.stringify(input),
      redirect: 'error', // the token is for this address
      signal: AbortSignal.timeout(withinMs),
    });
    const text = await response.text();
    return { status: response.status, body: jsonIn(text) };
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError') return 'late';
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new RemoteError(
      `${url.origin} cannot be reached: ${cause instanceof Error ? cause.message : cause}`,
    );
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
