import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { commandOn } from '../../src/core/command-hint.ts';

test.each([
  ['the default data directory', resolve('data'), 'gantry compact'],
  ['another one', '/var/lib/gantry', 'DATA_DIR=/var/lib/gantry gantry compact'],
  ['one that a shell would split', "/srv/Ada's data", "DATA_DIR='/srv/Ada'\\''s data' gantry compact"],
  ['a database whose URL holds a password', null, 'DATABASE_URL=… gantry compact'],
])('a command on %s can be run as printed', (_what, dataDirectory, command) => {
  expect(commandOn(dataDirectory, 'gantry compact')).toBe(command);
});
