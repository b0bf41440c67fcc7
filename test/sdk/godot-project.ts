import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../support/until.ts';
import type { Godot } from './godots.ts';

/** A project of a Godot in a folder, which has the addon in `addons/gantry`. */
export class GodotProject {
  readonly #folder: string;
  readonly #godot: Godot;

  private constructor(folder: string, godot: Godot) {
    this.#folder = folder;
    this.#godot = godot;
  }

  /**
   * A project that the editor has not opened: its scripts load the addon with `preload`. Without a `project.godot`, or
   * with one of the other version, it is an empty one.
   */
  static async create(folder: string, godot: Godot): Promise<GodotProject> {
    const file = join(folder, 'project.godot');
    const given = await readFile(file, 'utf8').catch(() => '');
    const kept = given.includes(godot.project) ? given : godot.project;
    const isStrict = godot.major === 3 || kept.endsWith(warningsAsErrors);
    await writeFile(file, isStrict ? kept : kept + warningsAsErrors);
    if (godot.major === 4) await writeClassesInGodot4(folder, '[]');
    return new GodotProject(folder, godot);
  }

  /**
   * Opens the project, so that its scripts know the class GantryClient: Godot 3's in the editor, with the addon enabled,
   * until the editor has read the addon. For Godot 4, whose executable may be one without the editor, the file that its
   * editor writes is written here.
   */
  static async open(folder: string, godot: Godot): Promise<{ project: GodotProject; editorSaid: string }> {
    const project = await GodotProject.create(folder, godot);
    if (godot.major === 4) {
      await writeClassesInGodot4(folder, gantryClientInGodot4);
      return { project, editorSaid: '' };
    }
    const file = join(folder, 'project.godot');
    const given = await readFile(file, 'utf8');
    await writeFile(file, `${given}\n[editor_plugins]\nenabled=PoolStringArray( "gantry" )\n`);
    const editor = project.#spawn(['-e']);
    const output = outputOf(editor);
    const gone = once(editor, 'close');
    const hasClass = async () => (await readFile(file, 'utf8')).includes('"class": "GantryClient"');
    const icon = join(folder, 'addons/gantry/icon.svg.import');
    await until('the class and the imported icon', async () => (await hasClass()) && existsSync(icon));
    editor.kill();
    await gone;
    return { project, editorSaid: output() };
  }

  /**
   * Runs a node without a display; `begin` and `steps` are lines of Godot 4's GDScript about `node`, the steps run in every
   * frame.
   */
  async run(
    node: string,
    { begin = 'pass', steps = ['pass'], env = {} }: RunOptions = {},
  ): Promise<ChildProcess> {
    const script = [
      'extends SceneTree',
      `var node = ${node}`,
      'func _init():',
      `\t${begin}`,
      '\tget_root().call_deferred("add_child", node)',
      `func ${this.#godot.major === 3 ? '_idle' : '_process'}(_delta):`,
      ...steps.map((step) => `\t${step}`),
    ];
    await writeFile(join(this.#folder, 'run.gd'), scriptFor(this.#godot, script.join('\n')));
    return this.#spawn(['-s', 'res://run.gd'], env);
  }

  /** Plays the project, as a player starts it. */
  play(env: Record<string, string> = {}): ChildProcess {
    return this.#spawn([], env);
  }

  #spawn(args: readonly string[], env: Record<string, string> = {}): ChildProcess {
    const own = { HOME: this.#folder, XDG_DATA_HOME: this.#folder, LC_ALL: 'C.UTF-8', LANG: 'en_US.UTF-8' };
    return spawn(this.#godot.command, [...this.#godot.args, '--path', this.#folder, ...args], {
      env: { ...process.env, ...own, ...env },
      timeout: 30_000,
    });
  }
}

/**
 * The warnings that the editor of Godot 4 shows by default, other than of addons. Only an error is printed, as `SCRIPT
 * ERROR`.
 */
const warningsAsErrors = `
[debug]

${[
  ...['unused_variable', 'unused_local_constant', 'unused_private_class_variable', 'unused_parameter'],
  ...['unused_signal', 'shadowed_variable', 'shadowed_variable_base_class', 'unreachable_code'],
  ...['standalone_expression', 'standalone_ternary', 'incompatible_ternary', 'integer_division'],
  ...['narrowing_conversion', 'redundant_await', 'confusable_local_declaration', 'confusable_local_usage'],
  'shadowed_global_identifier',
]
  .map((name) => `gdscript/warnings/${name}=2`)
  .join('\n')}
`;

/** What the editor of Godot 4 writes when it has read a project's scripts. */
async function writeClassesInGodot4(folder: string, list: string): Promise<void> {
  await mkdir(join(folder, '.godot'), { recursive: true });
  await writeFile(join(folder, '.godot/global_script_class_cache.cfg'), `list=${list}\n`);
}

const gantryClientInGodot4 = `[{
"base": &"Node",
"class": &"GantryClient",
"icon": "",
"is_abstract": false,
"is_tool": false,
"language": &"GDScript",
"path": "res://addons/gantry/gantry_client.gd"
}]`;

/**
 * A script of the manual, which is written for Godot 4, in the language of a Godot: the differences that the page about a
 * first Godot game lists, and those of the tests.
 */
export function scriptFor(godot: Godot, script: string): string {
  if (godot.major === 4) return script;
  return script
    .replaceAll(/\bawait (.+?)\.completed\b/g, 'yield($1, "completed")')
    .replaceAll(/([\w.]+)\.(\w+)\.connect\((\w+)\)/g, '$1.connect("$2", self, "$3")')
    .replaceAll('Time.get_unix_time_from_system()', 'OS.get_unix_time()')
    .replaceAll('@export var', 'export var')
    .replaceAll('DirAccess.remove_absolute(', 'Directory.new().remove(')
    .replaceAll('.instantiate()', '.instance()')
    .replaceAll('queue_redraw()', 'update()');
}

interface RunOptions {
  /** A line that is run before the node is added. */
  begin?: string;
  steps?: readonly string[];
  env?: Record<string, string>;
}

/** Collects what the process writes. */
export function outputOf(child: ChildProcess): () => string {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (part) => {
      output += part;
    });
  }
  return () => output;
}
