import { Command } from 'commander';
import { minutes, parsed } from './option-parsers.ts';
import { print } from './output.ts';
import { withWorkspace } from './with-workspace.ts';

export function keyCommand(): Command {
  const command = new Command('key').description('rotate the keys that launcher tokens are signed with');
  command
    .command('rotate')
    .description('sign new tokens with a new key; tokens signed before stay good until they expire')
    .option(
      '--overlap <minutes>',
      'how long tokens signed before stay good at most; 0 when a key has leaked: not a moment longer',
      parsed(minutes),
    )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  gantry key rotate\n  gantry key rotate --overlap 0')
    .action(({ overlap, json }: { overlap?: number; json?: boolean }) =>
      withWorkspace(async ({ keys, store }, config) => {
        const input = overlap === undefined ? {} : { overlapMinutes: overlap };
        const entry = await store.audit.begin('cli', 'rotateTokenKey', input);
        // The server's SESSION_DAYS may be another than ours: what counts is what it has issued.
        const lastExpiry = (await store.sessions.lastExpiry()) ?? 0;
        const untilTheyExpire = Math.max(config.sessionLifetimeMs, lastExpiry - Date.now());
        const { kid } = keys.rotate(overlap === undefined ? untilTheyExpire : overlap * 60_000);
        await store.audit.finish(entry, 'ok');
        print({ kid }, json);
      }, 'key rotation'),
    );
  return command;
}
