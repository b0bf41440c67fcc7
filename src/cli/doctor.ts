import { styleText } from 'node:util';
import { Command } from 'commander';
import { readConfig } from '../config.ts';
import { examine } from '../doctor/examine.ts';
import type { Finding, Level } from '../doctor/finding.ts';
import { databaseFiles } from '../workspace.ts';

const marks: Record<Level, string> = { ok: 'ok', warning: 'warning', error: 'ERROR' };
const colours = { ok: 'green', warning: 'yellow', error: 'red' } as const;

export function doctorCommand(): Command {
  return new Command('doctor')
    .description('look for what keeps a server from running well here, and say what to do about it')
    .option('--json', 'print JSON: {ok, findings: [{check, level, message, remedy?}]}')
    .addHelpText(
      'after',
      '\nIt changes nothing, and can be run beside a server. Exit code 1 when there is an error; warnings leave it 0.' +
        '\n\nExample:\n  DATA_DIR=/var/lib/gantry gantry doctor',
    )
    .action(async ({ json }: { json?: boolean }) => {
      const findings = await examine(readConfig, databaseFiles);
      const hasError = findings.some(({ level }) => level === 'error');
      process.stdout.write(
        json ? `${JSON.stringify({ ok: !hasError, findings })}\n` : findings.map(inWords).join(''),
      );
      if (hasError) process.exitCode = 1;
    });
}

function inWords(finding: Finding): string {
  const { check, level, message } = finding;
  const mark = styleText(colours[level], marks[level].padEnd(7), { stream: process.stdout });
  const line = `${mark}  ${check.padEnd(15)}  ${message}\n`;
  return finding.level === 'ok' ? line : `${line}${' '.repeat(26)}→ ${finding.remedy}\n`;
}
