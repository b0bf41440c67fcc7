import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repository } from '../support/gantry-process.ts';

/** The files of an SDK that its users name something of; the others are its own business. */
const pythonModules = [
  'client',
  'config',
  'connecting',
  'errors',
  'friends',
  'leaderboard',
  'sign_in',
  'store',
];
const pythonGenerated = ['aio', 'async_operations', 'operations', 'types'];
const gdscriptFiles = [
  'gantry_client',
  'gantry_core',
  'gantry_call',
  'gantry_error',
  'reasons',
  'record',
  'records',
];
const gdscriptHelpers = ['config', 'friends', 'leaderboard', 'sign_request', 'token_request'];

/** What each SDK's users may name in their code, as `Type.member`, sorted. */
export async function publicNames(): Promise<Record<string, string[]>> {
  const [declarations, csharp, gdscript, python] = await Promise.all([
    sources('typescript', /^client\.d\.ts$/),
    sources('csharp/Runtime', /\.cs$/),
    sources('gdscript/addons/gantry', named([...gdscriptFiles, ...gdscriptHelpers], 'gd')),
    sources('python/gantry', named([...pythonModules, ...pythonGenerated], 'py')),
  ]);
  return {
    typescript: sorted(declarations.flatMap(({ text }) => typescriptNames(text))),
    csharp: sorted(csharp.flatMap(({ text }) => csharpNames(text))),
    gdscript: sorted(gdscript.flatMap(({ name, text }) => gdscriptNames(name, text))),
    python: sorted(python.flatMap(({ text }) => pythonNames(text))),
  };
}

/** Exported names, with the members of those that are classes or interfaces. */
export function typescriptNames(text: string): string[] {
  const [, list = ''] = /^export \{(.+)\};$/m.exec(text) ?? [];
  const exported = new Map(
    list.split(',').map((one) => {
      const [, local = '', , as = local] = /^\s*(?:type )?(\w+)( as (\w+))?\s*$/.exec(one) ?? [];
      return [local, as] as const;
    }),
  );
  const members = [...text.matchAll(/^(?:declare class|interface|type) (\w+)[^\n]*\{\n([\s\S]*?)^\}/gm)];
  return [
    ...exported.values(),
    ...members.flatMap(([, type = '', body = '']) => {
      const shown = exported.get(type);
      const names = body.matchAll(/^ {4}(?:readonly |get |set |static )*([a-z]\w*)[?(<:]/gm);
      const own = [...names].flatMap(([, name]) => (name === 'constructor' ? [] : [`${shown}.${name}`]));
      return shown ? own : [];
    }),
  ];
}

/** Public types with their public members. */
export function csharpNames(text: string): string[] {
  let type = '';
  return text.split('\n').flatMap((line) => {
    const [, declared] =
      /^ {4}public [\w ]*\b(?:class|struct|interface|enum|delegate \S+) (\w+)/.exec(line) ?? [];
    if (declared) {
      type = declared;
      return [declared];
    }
    if (/^ {4}(?:internal |static |sealed |abstract |partial )*(?:class|struct|interface|enum) /.test(line)) {
      type = '';
    }
    const [, member] = /^ {8}public (?:[\w<>[\]?,.]+ )*(\w+)\s*(?:[({;=<]|$)/.exec(line) ?? [];
    return type && member ? [`${type}.${member}`] : [];
  });
}

/** What a script offers that does not begin with an underscore. */
export function gdscriptNames(file: string, text: string): string[] {
  const names = text.matchAll(/^(?:static )?(?:func|var|signal|const|enum|class_name) ([a-zA-Z]\w*)/gm);
  const own = [...names].filter(([line]) => !/^const [A-Z][a-z]/.test(line)); // those are other files
  return own.map(([, name]) => `${file.replace(/\.gd$/, '')}.${name}`);
}

/**
 * Classes and functions that do not begin with an underscore, with their methods and fields; also those that a record
 * inherits from the class of its required fields, `_<name>Required`.
 */
export function pythonNames(text: string): string[] {
  let type = '';
  return text.split('\n').flatMap((line) => {
    const [, top] = /^(?:class|(?:async )?def) (\w+)/.exec(line) ?? [];
    const [, record] = /^_(\w+)Required$/.exec(top ?? '') ?? [];
    if (top) type = record ?? (line.startsWith('class') && !top.startsWith('_') ? top : '');
    if (top) return top.startsWith('_') ? [] : [top];
    const [, member] = /^ {4}(?:(?:async )?def )?([a-z]\w*)(?:\(|: .)/.exec(line) ?? [];
    return type && member ? [`${type}.${member}`] : [];
  });
}

function named(names: readonly string[], ending: string): RegExp {
  return new RegExp(`^(${names.join('|')})\\.${ending}$`);
}

async function sources(folder: string, pattern: RegExp): Promise<{ name: string; text: string }[]> {
  const path = join(repository, 'public/sdk', folder);
  const names = (await readdir(path, { recursive: true })).filter((name) => pattern.test(name));
  return Promise.all(names.map(async (name) => ({ name, text: await readFile(join(path, name), 'utf8') })));
}

function sorted(names: readonly string[]): string[] {
  return [...new Set(names)].sort();
}
