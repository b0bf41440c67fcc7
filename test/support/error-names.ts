import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { operations } from '../../src/server/declarations/operations.ts';
import { repository } from './gantry-process.ts';
import { type Answer, get, post } from './http.ts';

/** What a server answers to calls that it refuses: every operation without a token, and malformed requests. */
export async function refusalsBy(url: string): Promise<Pick<Answer, 'status' | 'body'>[]> {
  const kebab = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const answers = await Promise.all([
    ...operations.map(({ name }) => post(`${url}/launcher/${kebab(name)}`, {})),
    ...operations.map(({ name }) => post(`${url}/launcher/${kebab(name)}`, { launcherJwt: 'invalid' })),
    post(`${url}/launcher/set-user-score`, '{'),
    get(`${url}/nowhere`),
  ]);
  return answers.filter(({ status }) => status !== 200).map(({ status, body }) => ({ status, body }));
}

/** The names of the classes of errors in files of a folder, such as `dist/package/*.js`. */
export async function errorClassesIn(pattern: string, folder = repository): Promise<Set<string>> {
  const names = new Set<string>();
  for await (const file of glob(pattern, { cwd: folder })) {
    const code = await readFile(join(folder, file), 'utf8');
    // esbuild declares a class as a variable, whose name a class without one takes.
    const declarations = code.matchAll(/(?:(\w+) ?= ?class|class (\w+)) extends [\w.]*Error\b/g);
    for (const [, variable, name = variable] of declarations) if (name) names.add(name);
  }
  return names;
}
