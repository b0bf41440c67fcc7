import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { dataFiles, environment, readConfig, settingsInFiles, setVariables } from '../config.ts';
import { printList } from './output.ts';

export function configCommand(): Command {
  return new Command('config')
    .description('print the effective settings and their sources; secrets are hidden')
    .option('--json', 'print JSON: [{name, value, source, file?, meaning}]')
    .addHelpText('after', '\nExample:\n  PORT=4000 gantry config')
    .action(({ json }: { json?: boolean }) => {
      const settings = effectiveSettings();
      printList(settings, json, ({ name, value, source, file }) => ({
        setting: name,
        value: value ?? '',
        source: file ?? source,
      }));
    });
}

/** An effective setting, for display. */
interface EffectiveSetting {
  name: string;
  /** Hidden for secrets; null: unset and without a default. */
  value: string | null;
  source: 'default' | 'environment' | 'file' | 'unset';
  /** The file the value comes from. */
  file?: string;
  meaning: string;
}

/** Settings whose values are hidden. */
const secretSettings: ReadonlySet<string> = new Set([
  'ADMIN_TOKEN',
  'GANTRY_SECRET_KEY',
  'SIGNERS',
  'SIGNER_KEYSTORE_PASSWORD',
]);

const hidden = '(hidden)';

/** Every setting with its value and source. @throws ConfigError */
function effectiveSettings(): EffectiveSetting[] {
  const config = readConfig();
  const variables = setVariables();
  const files = dataFiles(config.dataDirectory);
  const fromFiles: Readonly<Record<string, string>> =
    config.databaseUrl === undefined
      ? { ADMIN_TOKEN: files.adminTokenHash, GANTRY_SECRET_KEY: files.secretKey }
      : {};
  return Object.entries(environment.shape).map(([name, schema]): EffectiveSetting => {
    const meaning = schema.description ?? '';
    const given = variables[name];
    const source = variables[`${name}_FILE`];
    if (given !== undefined && source !== undefined && isFromFile(name)) {
      return { name, value: shown(name, given), source: 'file', file: source, meaning };
    }
    if (given !== undefined) {
      return { name, value: shown(name, given), source: 'environment', meaning };
    }
    const file = fromFiles[name];
    if (file !== undefined && existsSync(file)) return { name, value: hidden, source: 'file', file, meaning };
    const fallback: unknown = schema.safeParse(undefined).data;
    return fallback === undefined
      ? { name, value: null, source: 'unset', meaning }
      : { name, value: String(fallback), source: 'default', meaning };
  });
}

function isFromFile(name: string): boolean {
  return settingsInFiles.some((one) => one === name);
}

/** URLs are shown without the passwords and keys in them. */
function shown(name: string, value: string): string {
  if (secretSettings.has(name)) return hidden;
  if (name === 'REDIS_URL' && !URL.canParse(value)) {
    return value.replace(/\/\/[^@/]*@/, '//hidden@').replace(/(sentinelPassword=)[^&#]*/, '$1hidden');
  }
  if (name === 'REDIS_URL' || name === 'DATABASE_URL') {
    const url = new URL(value);
    if (url.password !== '') url.password = 'hidden';
    if (url.searchParams.has('password')) url.searchParams.set('password', 'hidden');
    return url.href;
  }
  if (name !== 'CHAINS') return value;
  return value.replace(
    /(https?:\/\/)(?:[^/"@]*@)?([^/"?#]+)[^"]*/g,
    (_, scheme, host) => `${scheme}${host}/…`,
  );
}
