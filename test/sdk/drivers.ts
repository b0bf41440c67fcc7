import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../support/gantry-process.ts';

/** How a driver's process is started. */
export interface DriverProgram {
  command: string;
  args: readonly string[];
  env?: Record<string, string>;
}

/** The driver of an SDK: `driver-protocol.md`. */
export interface DriverEntry {
  name: string;
  /** Why it cannot run here; null when it can. */
  missing: string | null;
  /** Builds it; output goes into `folder`, which is temporary. */
  prepare(folder: string): Promise<DriverProgram>;
}

const place = join(repository, 'test/sdk/drivers');

export const typescriptDriver: DriverEntry = {
  name: 'TypeScript in Node',
  missing: null,
  prepare: async () => ({ command: process.execPath, args: [join(place, 'typescript.ts')] }),
};

const python = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3';

export const pythonDriver: DriverEntry = {
  name: 'Python',
  missing:
    spawnSync(python, ['-c', 'import socketio, websocket']).status === 0
      ? null
      : 'no python-socketio here: apt-get install python3-socketio python3-websocket',
  prepare: async () => ({
    command: python,
    args: ['-B', join(place, 'python.py'), join(repository, 'public/sdk/python')],
  }),
};

/** The same for asyncio. */
export const asyncioDriver: DriverEntry = {
  name: 'Python with asyncio',
  missing: pythonDriver.missing,
  async prepare(folder) {
    const { command, args } = await pythonDriver.prepare(folder);
    return { command, args: [...args, '--asyncio'] };
  },
};
