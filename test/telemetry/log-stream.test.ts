import { execFileSync, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { LogStream } from '../../src/telemetry/log-stream.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** Of different lengths, some longer than one write; no two the same. */
const lines = Array.from(
  { length: 3_000 },
  (_, n) => `${n} ${'x'.repeat(n % 500 === 499 ? 80_000 : (n * 37) % 300)}\n`,
);

test('every line arrives in a file, complete and in order', async () => {
  await using directory = await temporaryDirectory();
  const file = join(directory.path, 'log');
  const descriptor = openSync(file, 'w');
  const stream = new LogStream(descriptor);
  for (const line of lines) stream.write(line);
  await new Promise<void>((resolve) => stream.flush(resolve));
  expect(readFileSync(file, 'utf8')).toBe(lines.join(''));
  closeSync(descriptor);
});

test('every line arrives in a pipe, complete and in order', async () => {
  await using directory = await temporaryDirectory();
  const pipe = join(directory.path, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const reader = spawn('cat', [pipe], { stdio: ['ignore', 'pipe', 'inherit'] });
  const received = text(reader.stdout);
  const descriptor = openSync(pipe, 'w'); // waits for the reader
  const stream = new LogStream(descriptor);
  for (const line of lines) stream.write(line);
  await new Promise<void>((resolve) => stream.flush(resolve));
  closeSync(descriptor);
  expect(await received).toBe(lines.join(''));
});
