import { Argument, Command } from 'commander';
import { defaultCommandOf } from '../runtime/internals/commander.ts';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

// Static scripts of our own: the libraries that fit commander (such as @bomb.sh/tab, at 0.0.x) run the program at every
// Tab, where these cost no Node start and work wherever the program is installed.

/** What is offered behind a command: `path` is empty for `gantry` itself. */
interface Place {
  path: string;
  commands: readonly Command[];
  /** Those of the command's first argument, where it has some. */
  choices: readonly string[];
  options: readonly string[];
  /** The options that take a value, with its choices; without some it is anything, such as a file. */
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
      process.stdout.write(scripts[shell](placesOf(program())));
    });
}

function placesOf(command: Command, path = ''): Place[] {
  const { commands } = command;
  const within = defaultCommandOf(command);
  const own = [...command.options, ...(within?.options ?? [])].filter(({ long }) => long);
  const values = new Map<string, readonly string[]>();
  for (const { long = '', short, argChoices = [], required, optional } of own) {
    if (!required && !optional) continue;
    values.set(long ?? '', argChoices);
    if (short) values.set(short, argChoices);
  }
  const place = {
    path,
    commands,
    choices: command.registeredArguments[0]?.argChoices ?? [],
    options: [...new Set([...own.map(({ long }) => long ?? ''), '--help'])],
    values,
  };
  const below = commands.flatMap((one) => placesOf(one, path === '' ? one.name() : `${path} ${one.name()}`));
  return [place, ...below];
}

const words = ({ commands, choices, options }: Place): string =>
  [...commands.map((one) => one.name()), ...choices, ...options].join(' ');

/** Words that are neither options nor commands (values) do not change the place. */
function cases(places: readonly Place[], indent: string): string {
  return places.map((place) => `${indent}'${place.path}') words='${words(place)}' ;;`).join('\n');
}

function steps(places: readonly Place[], indent: string): string {
  const known = places.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`);
  return `${indent}${known.join('|')}) place="$next" ;;`;
}

/** What is offered as the value of an option: where it is anything, nothing, and the shell offers files. */
function valueCases(places: readonly Place[], indent: string): string {
  const lines = places.flatMap(({ path, values }) => {
    const all = [...values].map(([option, choices]) => ({ at: `'${path} ${option}'`, choices }));
    const free = all.filter(({ choices }) => choices.length === 0).map(({ at }) => at);
    return [
      ...(free.length > 0 ? [`${indent}${free.join('|')}) words='' ;;`] : []),
      ...all
        .filter(({ choices }) => choices.length > 0)
        .map(({ at, choices }) => `${indent}${at}) words='${choices.join(' ')}' ;;`),
    ];
  });
  return lines.join('\n');
}

const scripts: Readonly<Record<Shell, (places: readonly Place[]) => string>> = {
  bash: (places) => `# gantry completion bash
_gantry() {
  local place='' next word words
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    next="\${place:+$place }$word"
    case "$next" in
${steps(places, '      ')}
    esac
  done
  case "$place" in
${cases(places, '    ')}
  esac
  case "$place \${COMP_WORDS[COMP_CWORD-1]}" in
${valueCases(places, '    ')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _gantry gantry
`,
  zsh: (places) => `#compdef gantry
_gantry() {
  local place='' next word words_here
  for word in "\${(@)words[2,CURRENT-1]}"; do
    next="\${place:+$place }$word"
    case "$next" in
${steps(places, '      ')}
    esac
  done
  case "$place" in
${cases(places, '    ').replaceAll(" words='", " words_here='")}
  esac
  case "$place \${words[CURRENT-1]}" in
${valueCases(places, '    ').replaceAll(" words='", " words_here='")}
  esac
  if [[ -n "$words_here" ]]; then compadd -- \${=words_here} || _files; else _files; fi
}
compdef _gantry gantry
`,
  fish: (places) => `# gantry completion fish
function __gantry_at
    set -l place ''
    for word in (commandline -opc)[2..-1]
        set -l next (string trim -- "$place $word")
        switch "$next"
            case ${places
              .filter(({ path }) => path !== '')
              .map(({ path }) => `'${path}'`)
              .join(' ')}
                set place "$next"
        end
    end
    test "$place" = "$argv[1]"
end
${places
  .flatMap(({ path, commands, choices, options, values }) => {
    const at = `complete -c gantry -n "__gantry_at '${path}'"`;
    return [
      ...commands.map(
        (one) => `${at} -f -a '${one.name()}' -d '${one.description().replaceAll("'", "\\'")}'`,
      ),
      ...(choices.length > 0 ? [`${at} -f -a '${choices.join(' ')}'`] : []),
      ...options.map((option) => {
        const offered = values.get(option);
        const value =
          offered === undefined ? '' : offered.length > 0 ? ` -x -a '${offered.join(' ')}'` : ' -r';
        return `${at} -l '${option.slice(2)}'${value}`;
      }),
    ];
  })
  .join('\n')}
`,
};
