import { type Command, Help, Option } from 'commander';
import { ConfigError } from '../core/config-error.ts';
import { actionsCommand } from './actions.ts';
import { adminCommand } from './admin.ts';
import { Administrator, type Target } from './administrator.ts';
import { backupCommand } from './backup.ts';
import { bareProgram } from './bare-program.ts';
import { compactCommand } from './compact.ts';
import { completionCommand } from './completion.ts';
import { configCommand } from './config.ts';
import { demoCommand } from './demo.ts';
import { docsCommand } from './docs.ts';
import { doctorCommand } from './doctor.ts';
import { exportCommand } from './export.ts';
import { gameCommand } from './game.ts';
import { healthcheckCommand } from './healthcheck.ts';
import { importCommand } from './import.ts';
import { importFromCommand } from './import-from.ts';
import { keyCommand } from './key.ts';
import { leaderboardCommand } from './leaderboard.ts';
import { messageCommand } from './message.ts';
import { migrateCommand } from './migrate.ts';
import { migrateToCommand } from './migrate-to.ts';
import { newCommand } from './new.ts';
import { openApiCommand } from './openapi.ts';
import { httpUrl, parsed } from './options.ts';
import { playerCommand } from './player.ts';
import { restoreCommand } from './restore.ts';
import { rulesCommand } from './rules.ts';
import { scoreCommand } from './score.ts';
import { sdkCommand } from './sdk.ts';
import { serveCommand } from './serve.ts';
import { sessionCommand } from './session.ts';
import { tailCommand } from './tail.ts';
import { tokenCommand } from './token.ts';
import { upgradeCommand } from './upgrade.ts';
import { webhooksCommand } from './webhooks.ts';

/** The program with all its commands. */
export function createProgram(): Command {
  let target: Target = {};
  const administrator = new Administrator(() => target);
  const remote = new Set<Command>();
  const withRemote = (...creators: ((administrator: Administrator) => Command)[]) =>
    creators.map((create) => {
      const command = create(administrator);
      for (const leaf of leavesOf(command)) remote.add(leaf);
      return command;
    });

  const program = withTargetOptions(bareProgram().enablePositionalOptions());
  const groups: [title: string, commands: Command[]][] = [
    ['Server', [serveCommand(), demoCommand(), doctorCommand(), healthcheckCommand(), configCommand()]],
    [
      'Games and players',
      withRemote(
        newCommand,
        gameCommand,
        playerCommand,
        sessionCommand,
        tokenCommand,
        leaderboardCommand,
        scoreCommand,
        messageCommand,
      ),
    ],
    ['Rules and webhooks', withRemote(rulesCommand, actionsCommand, webhooksCommand)],
    ['Administration', [...withRemote(adminCommand, tailCommand), keyCommand()]],
    [
      'Data',
      [
        ...withRemote(backupCommand),
        restoreCommand(),
        exportCommand(),
        importCommand(),
        importFromCommand(),
        compactCommand(),
        upgradeCommand(),
        migrateCommand(),
        migrateToCommand(),
      ],
    ],
    ['For programs', [sdkCommand(), docsCommand(), openApiCommand(), completionCommand(() => program)]],
  ];
  for (const [title, commands] of groups) {
    program.commandsGroup(`${title}:`);
    for (const command of commands) program.addCommand(command);
  }

  const has = ({ options }: Command, name: string) => options.some(({ long }) => long === name);
  for (const command of commandsOf(program)) {
    command
      .configureHelp({ visibleOptions, optionDescription })
      .showHelpAfterError(`(see ${pathOf(command)} --help)`);
  }
  // Some describe what they print as JSON; a shell script has no other form.
  for (const command of leavesOf(program)) {
    if (!has(command, '--json') && command.name() !== 'completion') command.option('--json', 'print JSON');
  }
  const withOwnUrl = new Set([...remote].filter((command) => has(command, '--url')));
  for (const command of remote) {
    if (!withOwnUrl.has(command)) withTargetOptions(command, true);
  }
  program.hook('preAction', (_program, command) => {
    const own: Target = withOwnUrl.has(command) || !remote.has(command) ? {} : command.opts();
    const given: Target = program.opts();
    const url = own.url ?? given.url;
    const adminToken = own.token ?? given.token;
    if (url !== undefined && !remote.has(command)) {
      throw new ConfigError(`gantry ${command.name()} works on DATA_DIR, not on the server at --url`);
    }
    if (url === undefined && adminToken !== undefined) {
      throw new ConfigError('--token requires --url; commands on DATA_DIR need no token');
    }
    target = { ...(url && { url }), ...(adminToken !== undefined && { token: adminToken }) };
  });
  return program;
}

const plainHelp = new Help();

/** The required options first. */
function visibleOptions(command: Command): Option[] {
  const options = plainHelp.visibleOptions(command);
  return [...options.filter(({ mandatory }) => mandatory), ...options.filter(({ mandatory }) => !mandatory)];
}

function optionDescription(option: Option): string {
  return `${option.mandatory ? 'required; ' : ''}${plainHelp.optionDescription(option)}`;
}

/** What is typed to run it. `run` can be omitted, and its operations are in the help without it. */
function pathOf(command: Command): string {
  if (command.parent && command.name() === 'run') return pathOf(command.parent);
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

function commandsOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(commandsOf)];
}

function leavesOf(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);
}

/** Adds `--url` and `--token`, both before a command and after commands without their own `--url`. */
function withTargetOptions(command: Command, isHidden = false): Command {
  const url = new Option('--url <url>', 'work on the server at this URL, not on DATA_DIR');
  const token = new Option('--token <token>', 'admin token of that server; default: ADMIN_TOKEN');
  return command
    .addOption(url.argParser(parsed(httpUrl)).hideHelp(isHidden))
    .addOption(token.hideHelp(isHidden));
}
