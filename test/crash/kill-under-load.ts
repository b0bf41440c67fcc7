/**
 * Kills the server under load and counts what is lost:
 *
 *   node test/crash/kill-under-load.ts --rounds 20
 *
 * Progress goes to standard error, the counts as JSON to standard output. Exits 1 when anything was lost.
 */
import { parseArgs } from 'node:util';
import { killUnderLoad } from './rounds.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '10' } } });
const rounds = Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 1) {
  process.stderr.write('--rounds must be a whole number, 1 or more\n');
  process.exit(1);
}

const report = await killUnderLoad(rounds, ({ rounds: round, answered, lost }) =>
  process.stderr.write(`round ${round} of ${rounds}: ${answered} writes answered so far, ${lost} lost\n`),
);
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
const { lost, notServed, changesWithoutEvent, eventsWithoutChange, streamsWithGaps, integrity } = report;
const whole = lost + notServed + changesWithoutEvent + eventsWithoutChange + streamsWithGaps === 0;
process.exitCode = whole && integrity === 'ok' ? 0 : 1;
