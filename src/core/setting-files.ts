import { readFileSync } from 'node:fs';
import { ConfigError } from './config-error.ts';

/**
 * The variables, with each of these settings read from the file that `<NAME>_FILE` names, if it is set: Docker and
 * Kubernetes mount secrets as files. One line break at the end of the file is removed.
 * @throws ConfigError when both are set, or the file is empty or cannot be read
 */
export function withSettingFiles(
  variables: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): Record<string, string | undefined> {
  const contents = names.flatMap((name) => {
    const file = variables[`${name}_FILE`];
    if (file === undefined) return [];
    if (variables[name] !== undefined) throw new ConfigError(`Set ${name} or ${name}_FILE, not both.`);
    return [[name, contentOf(file, name)]];
  });
  return { ...variables, ...Object.fromEntries(contents) };
}

function contentOf(file: string, name: string): string {
  let content: string;
  try {
    content = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`${name}_FILE cannot be read: ${why}`);
  }
  if (content === '') throw new ConfigError(`${name}_FILE: ${file} is empty`);
  return content;
}
