import { Argument, Command } from 'commander';
import { defaultCommandOf } from '../runtime/internals/commander.ts';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

// Generates static scripts: libraries for commander (such as @bomb.sh/tab, at 0.0.x) run the program at every Tab,
// while these do not start Node and work wherever the program is installed.

/** The completions after a command. `path` is empty for `gantry` itself. */
interface Completions {
  path: string;
  commands: readonly Command[];
  /** The choices of the command's first argument, if any. */
  choices: readonly string[];
  options: readonly string[];
  /** The options that take a value, with its choices; when empty, any value is allowed, such as a file. */
  values: ReadonlyMap<string, readonly string[]>;
}

export function completionCommand(program: () => Command): Command {
  return new Command('completion')
    .description('print a shell completion script for commands, options and their values')
    .addArgument(new Argument('<shell>').choices(shells))
    .addHelpText(
      'after',
      '\nExamples:' +
        '\n  source <(gantry completion bash)                # in ~/.bashrc' +
        '\n  source <(gantry completion zsh)                 # in ~/.zshrc, after compinit' +
        '\n  gantry completion fish > ~/.config/fish/completions/gantry.fish',
    )
    .action((shell: Shell) => {
      process.stdout.write(scripts[shell](completionsOf(program())));
    });
}

function completionsOf(command: Command, path = ''): Completions[] {
  const { commands } = command;
  const defaultCommand = defaultCommandOf(command);
  const own = [...command.options, ...(defaultCommand?.options ?? [])].filter(({ long }) => long);
  const values = new Map<string, readonly string[]>();
  for (const { long = '', short, argChoices = [], required, optional } of own) {
    if (!required && !optional) continue;
    values.set(long ?? '', argChoices);
    if (short) values.set(short, argChoices);
  }
  const completions = {
    path,
    commands,
    choices: command.registeredArguments[0]?.argChoices ?? [],
    options: [...new Set([...own.map(({ long }) => long ?? ''), '--help'])],
    values,
  };
  const nested = commands.flatMap((one) =>
    completionsOf(one, path === '' ? one.name() : `${path} ${one.name()}`),
  );
  return [completions, ...nested];
}

const words = ({ commands, choices, options }: Completions): string =>
  [...commands.map((one) => one.name()), ...choices, ...options].join(' ');

function cases(all: readonly Completions[]): string {
  return all.map((one) => `    '${one.path}') words='${words(one)}' ;;`).join('\n');
}

/** Words that are neither commands nor options, such as values, do not change the place. */
function steps(all: readonly Completions[]): string {
  const known = all.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`);
  return `      ${known.join('|')}) place="$next" ;;`;
}

/** Completions for the value of an option; an option without choices has none, so that the shell completes files. */
function valueCases(all: readonly Completions[]): string {
  const lines = all.flatMap(({ path, values }) => {
    const options = [...values].map(([option, choices]) => ({ at: `'${path} ${option}'`, choices }));
    const free = options.filter(({ choices }) => choices.length === 0).map(({ at }) => at);
    return [
      ...(free.length > 0 ? [`    ${free.join('|')}) words='' ;;`] : []),
      ...options
        .filter(({ choices }) => choices.length > 0)
        .map(({ at, choices }) => `    ${at}) words='${choices.join(' ')}' ;;`),
    ];
  });
  return lines.join('\n');
}

const scripts: Readonly<Record<Shell, (all: readonly Completions[]) => string>> = {
  bash: (all) => `# gantry completion bash
_gantry() {
  local place='' next word words
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    next="\${place:+$place }$word"
    case "$next" in
${steps(all)}
    esac
  done
  case "$place" in
${cases(all)}
  esac
  case "$place \${COMP_WORDS[COMP_CWORD-1]}" in
${valueCases(all)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _gantry gantry
`,
  zsh: (all) => `#compdef gantry
_gantry() {
  local place='' next word words_here
  for word in "\${(@)words[2,CURRENT-1]}"; do
    next="\${place:+$place }$word"
    case "$next" in
${steps(all)}
    esac
  done
  case "$place" in
${cases(all).replaceAll(" words='", " words_here='")}
  esac
  case "$place \${words[CURRENT-1]}" in
${valueCases(all).replaceAll(" words='", " words_here='")}
  esac
  if [[ -n "$words_here" ]]; then compadd -- \${=words_here} || _files; else _files; fi
}
compdef _gantry gantry
`,
  fish: (all) => `# gantry completion fish
function __gantry_at
    set -l place ''
    for word in (commandline -opc)[2..-1]
        set -l next (string trim -- "$place $word")
        switch "$next"
            case ${all
              .filter(({ path }) => path !== '')
              .map(({ path }) => `'${path}'`)
              .join(' ')}
                set place "$next"
        end
    end
    test "$place" = "$argv[1]"
end
${all
  .flatMap(({ path, commands, choices, options, values }) => {
    const at = `complete -c gantry -n "__gantry_at '${path}'"`;
    return [
      ...commands.map(
        (one) => `${at} -f -a '${one.name()}' -d '${one.description().replaceAll("'", "\\'")}'`,
      ),
      ...(choices.length > 0 ? [`${at} -f -a '${choices.join(' ')}'`] : []),
      ...options.map((option) => {
        const valueChoices = values.get(option);
        const value =
          valueChoices === undefined
            ? ''
            : valueChoices.length > 0
              ? ` -x -a '${valueChoices.join(' ')}'`
              : ' -r';
        return `${at} -l '${option.slice(2)}'${value}`;
      }),
    ];
  })
  .join('\n')}
`,
};
