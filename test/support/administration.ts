import type { z } from 'zod';
import { kebabCase, type Operation } from '../../src/features/operation.ts';
import { post } from './http.ts';
import { gantry } from './warm-gantry.ts';

/** A way to act as an administrator. */
export interface AdminWay {
  /** How the audit log names it. */
  actor: 'admin-token' | 'cli';
  /** The names of the operations that were called. */
  called: ReadonlySet<string>;
  /** Executes an operation. @throws Refused */
  call<In extends z.ZodObject, Out extends z.ZodType>(
    operation: Operation<string, 'admin', In, Out>,
    input: z.input<In>,
  ): Promise<z.output<Out>>;
}

/** The operation was rejected; the message is the one the administrator received. */
export class Refused extends Error {}

/** `POST /admin/<name>` with the admin token. */
export function overHttp(server: { url: string; adminToken: string }): AdminWay {
  return way('admin-token', async (path, input) => {
    const headers = { Authorization: `Bearer ${server.adminToken}` };
    const { status, body } = await post(`${server.url}/admin/${path}`, input, headers);
    if (status === 200) return body;
    throw new Refused(String(Object(body).message));
  });
}

/** `gantry admin <name> <input>` in another process, on the data directory of a running server. */
export function overCommandLine(
  { dataDirectory }: { dataDirectory: string },
  variables: Record<string, string> = {},
): AdminWay {
  return way('cli', async (path, input) => {
    const env = { DATA_DIR: dataDirectory, ...variables };
    const { code, stdout, stderr } = await gantry(['admin', path, JSON.stringify(input)], { env });
    if (code === 0) return JSON.parse(stdout);
    throw new Refused(stderr.trim());
  });
}

function way(actor: AdminWay['actor'], send: (path: string, input: unknown) => Promise<unknown>): AdminWay {
  const called = new Set<string>();
  return {
    actor,
    called,
    async call(operation, input) {
      called.add(operation.name);
      return operation.output.parse(await send(kebabCase(operation.name), input));
    },
  };
}
