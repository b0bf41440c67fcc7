import { runFailover } from './postgres-failover.ts';

// `node test/crash/failover.ts [ROUNDS]`: a standby takes over, synchronous and asynchronous in turn; exits 1 when
// anything was lost that should not be, or was noticed too late.
const [rounds = '5'] = process.argv.slice(2);
for (let round = 0; round < 2 * Number(rounds); round++) {
  const kind = round % 2 === 0 ? 'synchronous' : 'asynchronous';
  const report = await runFailover({ kind, writeMs: 3_000 });
  process.stdout.write(`${JSON.stringify(report)}\n`);
  const { lost, lostAfterNotice, duplicated, gaps, isSameEpoch, noticedMs, resyncs, misdelivered } = report;
  const holds =
    kind === 'synchronous'
      ? lost === 0 && isSameEpoch && resyncs === 0
      : lostAfterNotice === 0 && noticedMs !== null && noticedMs <= 5_000 && resyncs > 0;
  if (!holds || duplicated > 0 || gaps > 0 || misdelivered > 0) process.exitCode = 1;
}
