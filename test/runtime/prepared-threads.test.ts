import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const module = JSON.stringify(new URL('../../src/runtime/start-thread.ts', import.meta.url).href);

/** Runs a program that has `prepareThread` and `startThread`, in a separate process. */
async function run(program: string) {
  await using directory = await temporaryDirectory();
  const file = join(directory.path, 'program.mjs');
  await writeFile(file, `import { prepareThread, startThread } from ${module};\n${program}`);
  const { status, stdout } = spawnSync(process.execPath, [file], { encoding: 'utf8', timeout: 120_000 });
  return { status, stdout: stdout.trim() };
}

test('an unused prepared thread does not keep the process alive', async () => {
  expect(await run(`prepareThread('writer-thread'); console.log('prepared');`)).toMatchObject({
    status: 0,
    stdout: 'prepared',
  });
});

test('a prepared thread is started with its data, once; the next one is another', async () => {
  const program = `prepareThread('state-thread');
    const read = (worker) => new Promise((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.postMessage({ id: 1, body: new TextEncoder().encode('{"a":1}') });
    });
    const [one, other] = [startThread('state-thread'), startThread('state-thread')];
    const answers = await Promise.all([read(one), read(other)]);
    console.log(one !== other, answers.every(({ fields }) => fields !== undefined));
    process.exit(0);`;
  expect(await run(program)).toMatchObject({ status: 0, stdout: 'true true' });
});
