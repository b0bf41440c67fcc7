import { Argument, Command } from 'commander';
import { GantryError } from '../core/errors.ts';
import { type AdminRole, adminRole } from '../core/schemas/admin-role.ts';
import {
  administratorName,
  tokenLifetimeDays,
} from '../features/administration/administrators/administrator.ts';
import {
  createAdministrator,
  listAdministrators,
  revokeAdministrator,
  rotateAdministratorToken,
  updateAdministrator,
} from '../features/administration/administrators/operations/administrators.ts';
import { listBackups, makeBackup } from '../features/administration/operations/backups.ts';
import { kebabCase, Registry } from '../features/operation.ts';
import { operations } from '../server/declarations/operations.ts';
import type { Administrator } from './administrator.ts';
import { decimal, parsed, parsedJson, unknownName } from './options.ts';
import { print, printList } from './output.ts';

interface TokenOptions {
  expires?: number;
  json?: boolean;
}

const roleHelp = `\nRoles: ${adminRole.options.join(', ')}; see public/docs/administrators.md for their permissions.`;

export function adminCommand(administrator: Administrator): Command {
  const command = new Command('admin').description(
    'list, create, change and revoke administrators; run any /admin operation',
  );

  command
    .command('list')
    .description('list administrators with their roles')
    .addHelpText('after', '\nExample:\n  gantry admin list')
    .action(async ({ json }: { json?: boolean }) => {
      const { administrators } = await administrator.execute(listAdministrators, {});
      printList(administrators, json, ({ name, role, administratorId, expiresAt, lastUsedAt }) => ({
        name,
        role,
        administratorId,
        expires: expiresAt === null ? 'never' : new Date(expiresAt).toISOString(),
        lastUsed: lastUsedAt === null ? 'never' : new Date(lastUsedAt).toISOString(),
      }));
    });

  withExpiry(command.command('create'))
    .description('create an administrator; the token is shown only once')
    .argument('<name>', 'name in the audit log', parsed(administratorName))
    .addArgument(new Argument('<role>', 'what the administrator may do').choices(adminRole.options))
    .addHelpText('after', `${roleHelp}\n\nExample:\n  gantry admin create Ada moderator --expires 90`)
    .action(async (name: string, role: AdminRole, { expires, json }: TokenOptions) => {
      const created = await administrator.execute(createAdministrator, {
        name,
        role,
        lifetimeDays: expires,
      });
      print({ administratorId: created.administrator.administratorId, token: created.token }, json);
    });

  const onAdministrator = (name: string) => command.command(name).argument('<administrator>', 'name or ID');

  onAdministrator('rename')
    .description('change the name of an administrator')
    .argument('<name>', 'new name', parsed(administratorName))
    .addHelpText('after', '\nExample:\n  gantry admin rename Ada "Ada Lovelace"')
    .action(async (given: string, name: string, { json }: { json?: boolean }) => {
      const administratorId = await idOf(administrator, given);
      const changed = await administrator.execute(updateAdministrator, { administratorId, name });
      print(changed.administrator, json);
    });

  onAdministrator('role')
    .description('change the role of an administrator, immediately')
    .addArgument(new Argument('<role>', 'what the administrator may do').choices(adminRole.options))
    .addHelpText('after', `${roleHelp}\n\nExample:\n  gantry admin role Ada operator`)
    .action(async (given: string, role: AdminRole, { json }: { json?: boolean }) => {
      const administratorId = await idOf(administrator, given);
      const changed = await administrator.execute(updateAdministrator, { administratorId, role });
      print(changed.administrator, json);
    });

  withExpiry(onAdministrator('rotate'))
    .description('replace the token of an administrator; the new one is shown only once')
    .addHelpText('after', '\nThe old token is rejected immediately.\n\nExample:\n  gantry admin rotate Ada')
    .action(async (given: string, { expires, json }: TokenOptions) => {
      const administratorId = await idOf(administrator, given);
      const rotated = await administrator.execute(rotateAdministratorToken, {
        administratorId,
        lifetimeDays: expires,
      });
      print({ administratorId, token: rotated.token }, json);
    });

  onAdministrator('revoke')
    .description('remove an administrator; the token is rejected immediately, on every node')
    .addHelpText('after', '\nExample:\n  gantry admin revoke Ada')
    .action(async (given: string, { json }: { json?: boolean }) => {
      const administratorId = await idOf(administrator, given);
      await administrator.execute(revokeAdministrator, { administratorId });
      print({ administratorId, revoked: true }, json);
    });

  const registry = new Registry(operations);
  const adminOperations = registry.operations.filter((one) => one.service === 'admin');
  const list = adminOperations.map((one) => `  ${kebabCase(one.name).padEnd(26)} ${one.summary}`).join('\n');
  command
    // `run` can be omitted: `gantry admin list-players`.
    .command('run', { isDefault: true })
    .description('run any /admin operation and print its result as JSON; `run` can be omitted')
    .argument('<operation>', 'operation name, as in the path', (name: string) => {
      const operation = registry.adminPath(name);
      if (operation) return operation;
      const known = adminOperations.map((one) => kebabCase(one.name));
      throw unknownName('operation', name, known);
    })
    .argument('[input]', 'input as JSON', parsedJson)
    .option('--json', 'no effect: the output is always JSON')
    .addHelpText('after', `\nExample:\n  gantry admin run ban-player '{"wallet":"0x…"}'`)
    .action(async (operation: (typeof adminOperations)[number], input: unknown = {}) => {
      if (operation.name === makeBackup.name && administrator.isRemote) await sayIfItWaits(administrator);
      process.stdout.write(`${JSON.stringify(await administrator.executeNamed(operation, input))}\n`);
    });
  return command.addHelpText(
    'after',
    `\nOperations:\n${list}\n\nExamples:\n  gantry admin create Ada moderator\n  gantry admin ban-player '{"wallet":"0x…"}'`,
  );
}

/** A server makes one backup after the other; on DATA_DIR, the command makes it itself. */
async function sayIfItWaits(administrator: Administrator): Promise<void> {
  const { running } = await administrator.execute(listBackups, {});
  if (running?.kind === 'scheduled') {
    process.stderr.write('A scheduled backup is in progress; this one begins when it is complete\n');
  }
}

function withExpiry(command: Command): Command {
  return command.option(
    '--expires <days>',
    'days until the token expires; default: never',
    parsed(decimal.pipe(tokenLifetimeDays.unwrap())),
  );
}

/** Finds an administrator's id by name (case-insensitive) or id. @throws GantryError `administrator_unknown` */
async function idOf(administrator: Administrator, given: string): Promise<string> {
  const { administrators } = await administrator.execute(listAdministrators, {});
  const found = administrators.find(
    ({ administratorId, name }) => administratorId === given || name.toLowerCase() === given.toLowerCase(),
  );
  if (found) return found.administratorId;
  throw new GantryError(
    'administrator_unknown',
    `There is no administrator with the name or ID ${given}; gantry admin list shows them`,
  );
}
