import { vi } from 'vitest';
import { executeLocally } from '../../src/cli/as-administrator.ts';
import { GantryError } from '../../src/core/errors.ts';
import { type Caller, plainStyles } from './call-styles.ts';
import { databaseOf } from './engine.ts';
import type { TestServer } from './server.ts';
import { bearer } from './world.ts';

/** One way to act as an administrator, and the actor that the audit log records. */
export interface AdminStyle {
  actor: 'admin-token' | 'cli';
  open(server: TestServer): Promise<Caller>;
}

export const adminStyles: Readonly<Record<string, AdminStyle>> = {
  '/admin with the admin token': {
    actor: 'admin-token',
    async open({ url, adminToken }) {
      const caller = await plainStyles['dedicated HTTP'](url);
      return { ...caller, call: (operation, input) => caller.call(operation, input, bearer(adminToken)) };
    },
  },

  /** In this process: what `gantry admin` calls after parsing its arguments. */
  'the command line': {
    actor: 'cli',
    async open({ config }) {
      const env = { DATA_DIR: config.dataDirectory, ...(await databaseOf(config.dataDirectory)) };
      for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
      return {
        signsIn: false,
        overSocket: false,
        async call(operation, input) {
          try {
            const body = asJson(await executeLocally(operation, asJson(input)));
            return { status: 200, body, text: JSON.stringify(body) };
          } catch (error) {
            if (!(error instanceof GantryError)) throw error;
            return { status: error.code, body: asJson(error), text: JSON.stringify(error) };
          }
        },
        [Symbol.dispose]: () => void vi.unstubAllEnvs(),
      };
    },
  },
};

/** The value after a round trip through JSON. */
function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
