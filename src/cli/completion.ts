import { Argument, Command } from 'commander';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

// Static scripts of our own: the libraries that fit commander (such as @bomb.sh/tab, at 0.0.x) run the program at every
// Tab, where these cost no Node start and work wherever the program is installed.

/** A command with its completions: `path` is empty for `gantry` itself. */
interface Place {
  path: string;
  commands: readonly Command[];
  options: readonly string[];
}

export function completionCommand(program: () => Command): Command {
  return new Command('completion')
    .description('print a shell completion script for commands and options')
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
  const options = [...command.options.map(({ long }) => long ?? ''), '--help'].filter(Boolean);
  const below = commands.flatMap((one) => placesOf(one, path === '' ? one.name() : `${path} ${one.name()}`));
  return [{ path, commands, options }, ...below];
}

const words = ({ commands, options }: Place): string =>
  [...commands.map((one) => one.name()), ...options].join(' ');

/** Words that are neither options nor commands (values) do not change the place. */
function cases(places: readonly Place[], indent: string): string {
  return places.map((place) => `${indent}'${place.path}') words='${words(place)}' ;;`).join('\n');
}

function steps(places: readonly Place[], indent: string): string {
  const known = places.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`);
  return `${indent}${known.join('|')}) place="$next" ;;`;
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
  compadd -- \${=words_here} || _files
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
  .flatMap(({ path, commands, options }) => [
    ...commands.map(
      (one) =>
        `complete -c gantry -n "__gantry_at '${path}'" -f -a '${one.name()}' -d '${one.description().replaceAll("'", "\\'")}'`,
    ),
    ...options.map((option) => `complete -c gantry -n "__gantry_at '${path}'" -l '${option.slice(2)}'`),
  ])
  .join('\n')}
`,
};
