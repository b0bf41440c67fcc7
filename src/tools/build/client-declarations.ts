import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const repository = fileURLToPath(new URL('../../..', import.meta.url));
const source = join(repository, 'src/sdk/client');

/** The compiler's declaration files of the client, by module name without extension. */
export async function clientDeclarations(): Promise<Map<string, string>> {
  await mkdir(join(repository, 'dist'), { recursive: true });
  const folder = await mkdtemp(join(repository, 'dist/declarations-'));
  try {
    const settings = join(folder, 'tsconfig.json');
    const compilerOptions = {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      rootDir: source,
      outDir: join(folder, 'out'),
      types: [],
    };
    await writeFile(
      settings,
      JSON.stringify({
        extends: '../../tsconfig.json',
        compilerOptions,
        include: [],
        files: [join(source, 'client.ts')],
      }),
    );
    const tsc = join(repository, 'node_modules/typescript/bin/tsc');
    await promisify(execFile)(process.execPath, [tsc, '-p', settings]);
    const files = (await readdir(join(folder, 'out'))).toSorted();
    return new Map(
      await Promise.all(
        files.map(
          async (file): Promise<[string, string]> => [
            file.replace('.d.ts', ''),
            await readFile(join(folder, 'out', file), 'utf8'),
          ],
        ),
      ),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Joins the declarations into one module without imports, with the exports of the client's entry point. */
export function joinDeclarations(declarations: ReadonlyMap<string, string>): string {
  const entry = declarations.get('client') ?? '';
  const others = [...declarations].filter(([name]) => name !== 'client' && name !== 'operation-names');
  const text = others.map(([, one]) => withoutImportsAndExports(one)).join('\n');
  const reexported = /export type \* from/.test(entry) ? (declarations.get('operation-types') ?? '') : '';
  const types = [...reexported.matchAll(/^export (?:interface|type) (\w+)/gm)].map(
    ([, name]) => `type ${name}`,
  );
  const named = [...entry.matchAll(/export (type )?\{([^}]*)\}/g)].flatMap(([, isType, list = '']) =>
    list
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== '')
      .map((one) => (isType ? `type ${one}` : one)),
  );
  return `${text}\nexport { ${[...named, ...types].join(', ')} };\n`;
}

/** Strips imports and exports, so that the declarations can be joined into one module. */
function withoutImportsAndExports(text: string): string {
  return text
    .replaceAll(/^import [^;]*;\n/gm, '')
    .replaceAll(/^export \{\};\n/gm, '')
    .replaceAll(/^export (?=(?:declare|interface|type|class|const|function)\b)/gm, '');
}
