import { Command } from 'commander';
import { beginAudit, finishAudit } from '../features/administration/commands.ts';
import { lastSessionExpiry } from '../features/sessions/queries.ts';
import { minutes, parsed } from './options.ts';
import { print } from './output.ts';
import { withStore } from './with-store.ts';

export function keyCommand(): Command {
  const command = new Command('key').description('rotate the keys that sign launcher tokens');
  command
    .command('rotate')
    .description('sign new tokens with a new key; existing tokens stay valid until they expire')
    .option(
      '--overlap <minutes>',
      'maximum time that existing tokens stay valid; 0, for a leaked key, revokes them immediately',
      parsed(minutes()),
    )
    .addHelpText('after', '\nExamples:\n  gantry key rotate\n  gantry key rotate --overlap 0')
    .action(({ overlap, json }: { overlap?: number; json?: boolean }) =>
      withStore(
        async ({ keys, db }, config) => {
          const input = overlap === undefined ? {} : { overlapMinutes: overlap };
          const entry = await db.write(beginAudit, 'cli', 'rotateTokenKey', input);
          // The server's SESSION_DAYS may differ from ours, so the tokens it has issued count too.
          const lastExpiry = (await db.read(lastSessionExpiry)) ?? 0;
          const untilTheyExpire = Math.max(config.sessionLifetimeMs, lastExpiry - db.now());
          const { kid } = await keys.rotate(overlap === undefined ? untilTheyExpire : overlap * 60_000);
          await db.write(finishAudit, entry, 'ok');
          print({ kid }, json);
        },
        { opener: 'key rotation' },
      ),
    );
  return command;
}
