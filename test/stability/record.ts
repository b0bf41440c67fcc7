/**
 * Records what a release promises, which later versions are compared with; a release runs it:
 *
 *     node_modules/.bin/node test/stability/record.ts 1.2.0
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { currentSurface, type Surface } from './surface.ts';

const [, , version = ''] = process.argv;
if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error('name the version: record.ts 1.2.0');
const file = join(import.meta.dirname, 'releases', `${version}.json`);
await writeFile(file, textOf(await currentSurface()));
process.stdout.write(`${file}\n`);

/** One line an operation, schema, event or command, so that a difference can be read. */
function textOf(surface: Surface): string {
  const parts = Object.entries(surface).map(([part, value]) => {
    const isList = Array.isArray(value);
    const lines = Object.entries(value).map(([key, one]) => {
      return isList ? JSON.stringify(one) : `${JSON.stringify(key)}:${JSON.stringify(one)}`;
    });
    return `${JSON.stringify(part)}:${isList ? '[' : '{'}\n${lines.join(',\n')}\n${isList ? ']' : '}'}`;
  });
  return `{\n${parts.join(',\n')}\n}\n`;
}
