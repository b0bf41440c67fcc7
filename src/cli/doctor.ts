import { styleText } from 'node:util';
import { Command } from 'commander';
import { readConfig } from '../config.ts';
import { databaseFiles, inspectServer } from '../server/open-store.ts';
import type { Finding, Level } from '../tools/doctor/finding.ts';

const marks: Record<Level, string> = { ok: 'ok', warning: 'warning', error: 'ERROR' };
const colours = { ok: 'green', warning: 'yellow', error: 'red' } as const;

export function doctorCommand(): Command {
  return new Command('doctor')
    .description('check configuration, data directory, network and machine, and suggest fixes')
    .option('--json', 'print JSON: {ok, findings: [{check, level, message, remedy?}]}')
    .addHelpText(
      'after',
      '\nRead-only; can run next to a server. Exits with 1 on errors, with 0 on warnings.' +
        '\n\nExample:\n  DATA_DIR=/var/lib/gantry gantry doctor',
    )
    .action(async ({ json }: { json?: boolean }) => {
      // Among what it examines is Redis, whose client is not loaded for other commands.
      const { examine } = await import('../tools/doctor/examine.ts');
      const findings = await examine(readConfig, databaseFiles, inspectServer);
      const hasError = findings.some(({ level }) => level === 'error');
      process.stdout.write(
        json ? `${JSON.stringify({ ok: !hasError, findings })}\n` : findings.map(formatFinding).join(''),
      );
      if (hasError) process.exitCode = 1;
    });
}

function formatFinding(finding: Finding): string {
  const { check, level, message } = finding;
  const mark = styleText(colours[level], marks[level].padEnd(7), { stream: process.stdout });
  const line = `${mark}  ${check.padEnd(15)}  ${message}\n`;
  return finding.level === 'ok' ? line : `${line}${' '.repeat(26)}→ ${finding.remedy}\n`;
}
