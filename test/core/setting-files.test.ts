import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readConfig, settingsInFiles } from '../../src/config.ts';
import { post } from '../support/http.ts';
import { startTestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { bearer } from '../support/world.ts';

test('a server takes its admin token from a file, without the line break at its end', async () => {
  await using directory = await temporaryDirectory();
  const file = join(directory.path, 'admin-token');
  writeFileSync(file, 'a-token-of-the-orchestrator\n');
  await using server = await startTestServer({ ADMIN_TOKEN: '', ADMIN_TOKEN_FILE: file });
  const listed = await post(`${server.url}/admin/list-games`, {}, bearer('a-token-of-the-orchestrator'));
  expect(listed.status).toBe(200);
});

test('every setting with a secret can be a file, which the manual says', async () => {
  await using directory = await temporaryDirectory();
  const values: Record<(typeof settingsInFiles)[number], string> = {
    DATABASE_URL: 'postgres://gantry:secret@db.example/gantry',
    REDIS_URL: 'redis://:secret@redis.example',
    ADMIN_TOKEN: 'sixteen-characters-or-more',
    GANTRY_SECRET_KEY: 'ab'.repeat(32),
    CHAINS: '{"1":["https://rpc.example/v3/key"]}',
    SIGNERS: `{"default":"0x${'ab'.repeat(32)}"}`,
    SIGNER_KEYSTORE_PASSWORD: 'a password ',
  };
  const files = settingsInFiles.map((name) => {
    const file = join(directory.path, name);
    writeFileSync(file, `${values[name]}\r\n`);
    return [`${name}_FILE`, file];
  });
  const rest = { SIGNER_KEYSTORE: 'key.json' };
  expect(readConfig({ ...rest, ...Object.fromEntries(files) })).toEqual(readConfig({ ...rest, ...values }));
  const manual = readFileSync(new URL('../../public/docs/configuration.md', import.meta.url), 'utf8');
  const [paragraph = ''] = /^Secrets can be read from files.+$/m.exec(manual) ?? [];
  for (const name of settingsInFiles) expect(paragraph).toContain(`\`${name}\``);
});

test('a file that is missing, empty or given beside the setting is refused, without its content', async () => {
  await using directory = await temporaryDirectory();
  const file = join(directory.path, 'admin-token');
  expect(() => readConfig({ ADMIN_TOKEN_FILE: file })).toThrow(/^ADMIN_TOKEN_FILE cannot be read: ENOENT/);
  writeFileSync(file, '\n');
  expect(() => readConfig({ ADMIN_TOKEN_FILE: file })).toThrow(`ADMIN_TOKEN_FILE: ${file} is empty`);
  writeFileSync(file, 'short');
  expect(() => readConfig({ ADMIN_TOKEN_FILE: file })).toThrow(/^(?!.*short).*ADMIN_TOKEN: must be 16/s);
  expect(() => readConfig({ ADMIN_TOKEN_FILE: file, ADMIN_TOKEN: 'x'.repeat(20) })).toThrow(
    'Set ADMIN_TOKEN or ADMIN_TOKEN_FILE, not both.',
  );
  expect(readConfig({ ADMIN_TOKEN_FILE: '', PORT_FILE: file }).port).toBe(3000);
});

test('a DATABASE_URL of another form is refused with the form it takes', () => {
  expect(() => readConfig({ DATABASE_URL: '127.0.0.1:5432', GANTRY_SECRET_KEY: 'ab'.repeat(32) })).toThrow(
    'DATABASE_URL: must be postgres://user:password@host/database',
  );
});
