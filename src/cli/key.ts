import { Command } from 'commander';
import { print } from './output.ts';
import { withWorkspace } from './with-workspace.ts';

export function keyCommand(): Command {
  const command = new Command('key').description('rotate the keys that launcher tokens are signed with');
  command
    .command('rotate')
    .description('sign new tokens with a new key; tokens signed before stay good until they expire')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  gantry key rotate')
    .action(({ json }: { json?: boolean }) =>
      withWorkspace(async ({ keys, store }, config) => {
        const entry = await store.audit.begin('cli', 'rotateTokenKey', {});
        // The server's SESSION_DAYS may be another than ours: what counts is what it has issued.
        const lastExpiry = (await store.sessions.lastExpiry()) ?? 0;
        const { kid } = keys.rotate(Math.max(config.sessionLifetimeMs, lastExpiry - Date.now()));
        await store.audit.finish(entry, 'ok');
        print({ kid }, json);
      }),
    );
  return command;
}
