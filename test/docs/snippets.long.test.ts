import { execFile, spawn } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { startAnvil } from '../support/anvil.ts';
import { freePort } from '../support/free-port.ts';
import { repository, serveGantry } from '../support/gantry-process.ts';
import { post } from '../support/http.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { documents } from './documents.ts';

/** A fenced block of a document: a file to save, commands to paste, or the output of the preceding commands. */
interface Snippet {
  language: string;
  text: string;
  /** The name it is saved under. */
  file: string | undefined;
}

/** Those about other clients are run by test/compat/page.test.ts, those about SDKs by test/sdk/quick-starts.test.ts. */
const ranElsewhere = ['public/docs/coming-from-basement.md', 'public/docs/sdks.md'];
/** The same in another language than the shell's: run by test/docs/guides.long.test.ts, or not at all (PowerShell). */
const otherLanguages = ['js', 'csharp', 'gdscript', 'python', 'powershell'];
const snippets: Snippet[] = [...documents]
  .filter(([path]) => !ranElsewhere.includes(path))
  .flatMap(([, text]) => snippetsOf(text))
  .filter(({ language, file }) => file !== undefined || !otherLanguages.includes(language));
/** Snippets that start separate servers, or need a PostgreSQL, are covered by other tests, and by .ci/run. */
const startsAServer =
  /^anvil|\bnpm (ci|start|run (bench|build:binary))\b|\.\/gantry serve|\b(docker|helm|fly)\b|\/etc\/nginx|\bsystem(ctl|d-run)\b|\bDATABASE_URL\b|SHA256SUMS|restore --database/;

/** Of the first account of anvil. */
const firstKey = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';

test('the snippets of README.md and the manual, pasted one after the other, work as described', {
  timeout: 300_000, // dozens of commands, each a process, in sequence
}, async () => {
  await using data = await temporaryDirectory();
  await using folder = await temporaryDirectory();
  for (const name of ['package.json', 'src', 'node_modules'])
    await symlink(join(repository, name), join(folder.path, name));
  // As the first `npm start` does for all later commands, which otherwise load several hundred files of source each.
  const compile = 'src/tools/build/program.ts';
  await promisify(execFile)('node_modules/.bin/node', [compile], { cwd: repository });
  await using anvil = await startAnvil(['--block-time', '1']);
  await using server = await serveGantry(data.path, {
    WEBHOOK_ALLOW_LOOPBACK: 'on',
    CHAINS: JSON.stringify({ [anvil.chainId]: [anvil.url] }),
    SIGNERS: JSON.stringify({ default: firstKey }),
  });
  const receiverPort = await freePort();
  const here = (text: string) =>
    text
      .replaceAll(/\b4000\b/g, String(receiverPort))
      .replaceAll('127.0.0.1:3000', new URL(server.url).host)
      .replaceAll('127.0.0.1:8545', new URL(anvil.url).host);
  using shell = startShell(folder.path, data.path);

  let output = '';
  let run = 0;
  for (const { language, text, file } of snippets) {
    if (file !== undefined) {
      await writeFile(join(folder.path, file), here(text));
    } else if (language === 'sh' && !startsAServer.test(text)) {
      if (text.includes('make-backup')) await shell.paste(scheduledBackup);
      output = await shell.paste(withPrintedValues(here(text), server.output.stdout));
      run++;
      continue; // so that a text right after it is its output
    } else if (language === 'text' && output !== '') {
      await shell.printed(here(text));
    } else {
      expect(
        ['sh', 'sql', 'text', 'yaml', 'json', 'ts'],
        `a snippet that is neither saved nor run:\n${text}`,
      ).toContain(language);
    }
    output = '';
  }
  expect(run).toBeGreaterThan(20);
  // Whoever has followed the manual can still play the demo game, and finds it in the launcher.
  const call = async (path: string, input: object) =>
    (await post(`${server.url}/launcher/${path}`, input)).body;
  const { launcherJwt } = Object(await call('create-guest', { gameId: 'demo-game' }));
  expect(await call('set-user-score', { launcherJwt, score: 1 })).toMatchObject({ success: true });
  expect(JSON.stringify(await call('get-games', {}))).toContain('"slug":"demo-game"');
});

/** Waits for the first backup of the schedule that an earlier snippet sets: meanwhile another one is refused. */
const scheduledBackup = `until admin list-backups '{}' | grep '"running":null' | grep -q '"kind":"scheduled"'; do sleep 0.1; done`;

function snippetsOf(document: string): Snippet[] {
  return [...document.matchAll(/([^`]*(?:`[^`]+`[^`]*)*)^```(\w+)\n(.*?)^```$/gms)].map(
    ([, before = '', language = '', text = '']) => ({
      language,
      text,
      file: /\bsave this as `([\w.-]+)`[^\n]*\n*$/i.exec(before)?.[1],
    }),
  );
}

/** A shell that snippets are pasted into; definitions persist for the next. */
function startShell(directory: string, dataDirectory: string) {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn('bash', [], {
    cwd: directory,
    env: { PATH, HOME, DATA_DIR: dataDirectory, NO_COLOR: '1' },
    detached: true, // a separate process group, so that background jobs are killed with it
  });
  let output = '';
  let from = 0;
  let pasted = 0;
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  return {
    /** Resolves when the commands are done; background jobs continue. */
    async paste(commands: string): Promise<string> {
      from = output.length;
      pasted++;
      child.stdin.write(`{ ${commands}\n} < /dev/null\nprintf '\\npasted ${pasted}: %s\\n' $?\n`);
      const [, status] = await until(`the end of:\n${commands}`, () =>
        new RegExp(`^pasted ${pasted}: (\\d+)$`, 'm').exec(output),
      );
      expect(status, `exit status of:\n${commands}\n${output.slice(from)}`).toBe('0');
      return commands;
    },
    async printed(shown: string): Promise<void> {
      const missing = () => firstMissing(output.slice(from).replace(/\s+/g, ' '), shown);
      await until('what the document shows', () => missing() === undefined).catch(() => undefined);
      expect(missing(), `what is missing of\n${shown}\nin\n${output.slice(from)}`).toBeUndefined();
    },
    [Symbol.dispose](): void {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    },
  };
}

/** Inserts the server's output where a snippet says so: `GAME='the id printed as Demo game'`. */
function withPrintedValues(commands: string, printed: string): string {
  return commands.replace(/'the (?:id printed as )?([\w ]+?)(?: printed[\w ]*)?'/g, (_, name: string) => {
    const value = new RegExp(`^ *${name} +(\\S+)`, 'im').exec(printed)?.[1];
    if (value === undefined) throw new Error(`the server printed no ${name}`);
    return `'${value}'`;
  });
}

/**
 * The first part of an expected output that is missing from the actual one, after the parts before it; undefined when
 * all match. `…` and the gaps between lines match anything.
 */
function firstMissing(output: string, shown: string): string | undefined {
  let at = 0;
  for (const part of shown.split(/…|\n/).map((text) => text.trim())) {
    const found = asPattern(part).exec(output.slice(at));
    if (!found) return part;
    at += found.index + found[0].length;
  }
  return undefined;
}

/** Ids, times, tokens and counts differ between runs. */
const varying =
  /\b[0-9a-f]{8}-[0-9a-f-]*|0x[0-9a-fA-F]+|eyJ[\w.-]*|\b\d{10,}\b|\b[0-9a-f]{12,16}\b|(?<=\b(?:seq|latest): |\b[rt]=)\d+/g;

function asPattern(part: string): RegExp {
  const fixed = part.replace(/\s+/g, ' ').split(varying);
  return new RegExp(fixed.map((text) => RegExp.escape(text)).join('[\\w.-]+?'));
}
