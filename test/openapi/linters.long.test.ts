import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import spectral from '@stoplight/spectral-core';
import parsers from '@stoplight/spectral-parsers';
import { oas } from '@stoplight/spectral-rulesets';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { startTestServer } from '../support/server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const redocly = join(
  dirname(createRequire(import.meta.url).resolve('@redocly/cli/package.json')),
  'bin/cli.js',
);

/** The document as generators and portals download it. */
async function served(): Promise<string> {
  await using server = await startTestServer();
  return (await fetch(`${server.url}/openapi.json`)).text();
}

test("Redocly's recommended rules have nothing to say about /openapi.json", async () => {
  await using directory = await temporaryDirectory();
  const file = join(directory.path, 'openapi.json');
  await writeFile(file, await served());
  const lint = promisify(execFile)(process.execPath, [redocly, 'lint', file, '--format=json'], {
    cwd: directory.path, // without a configuration file
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });
  const { stdout } = await lint.catch((failed: unknown) => z.object({ stdout: z.string() }).parse(failed));
  expect(z.object({ problems: z.array(z.unknown()) }).parse(JSON.parse(stdout)).problems).toEqual([]);
});

test("Spectral's rules for OpenAPI have nothing to say about /openapi.json", async () => {
  const linter = new spectral.Spectral();
  linter.setRuleset(new spectral.Ruleset({ extends: [[oas, 'recommended']] }));
  const document = new spectral.Document(await served(), parsers.Json, 'openapi.json');
  const problems = await linter.run(document);
  expect(problems.map(({ code, message, path }) => `${code} ${path.join('/')}: ${message}`)).toEqual([]);
});
