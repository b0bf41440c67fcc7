import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { playedInChromium } from './played-in-chromium.ts';

// Plays the template with Phaser. Not a test, because Phaser and Vite take more than 150 MB. An argument is a directory
// for a screenshot.

const [screenshots] = process.argv.slice(2);
if (screenshots !== undefined) await mkdir(screenshots, { recursive: true });
setInterval(() => {}, 1_000); // the process of the commands does not keep this one running
const folder = await temporaryDirectory();
const { name, complaints } = await playedInChromium('phaser', {
  folder: folder.path,
  serve: (port) => ({
    command: 'sh',
    args: [
      '-c',
      `npm install --no-audit --no-fund && exec node_modules/.bin/vite --host 127.0.0.1 --port ${port}`,
    ],
    prints: /Local/,
  }),
  ...(screenshots !== undefined && { screenshot: join(screenshots, 'phaser.png') }),
});
process.stdout.write(`${JSON.stringify({ name, complaints })}\n`);
// Without a graphics card, Chromium says that reading its screen is slow.
if (name !== 'Vera' || complaints.some((one) => !one.includes('GPU stall'))) process.exitCode = 1;
await folder[Symbol.asyncDispose]();
process.exit(); // the browser is shared
