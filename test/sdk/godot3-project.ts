import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../support/until.ts';

/** A Godot 3 project in a folder, which has the addon in `addons/gantry`. */
export class Godot3Project {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** A project that the editor has not opened: its scripts load the addon with `preload`. */
  static async create(folder: string): Promise<Godot3Project> {
    await writeFile(join(folder, 'project.godot'), 'config_version=4\n');
    return new Godot3Project(folder);
  }

  /**
   * Opens the project in the editor, with the addon enabled, until the editor has read the addon. Without a
   * `project.godot`, it is an empty one.
   */
  static async open(folder: string): Promise<{ project: Godot3Project; editorSaid: string }> {
    const project = new Godot3Project(folder);
    const file = join(folder, 'project.godot');
    const given = await readFile(file, 'utf8').catch(() => 'config_version=4\n');
    await writeFile(file, `${given}\n[editor_plugins]\nenabled=PoolStringArray( "gantry" )\n`);
    const editor = project.#spawn(['-e']);
    const output = outputOf(editor);
    const gone = once(editor, 'close');
    const hasClass = async () => (await readFile(file, 'utf8')).includes('"class": "GantryClient"');
    const icon = join(folder, 'addons/gantry/icon.svg.import');
    await until(
      'the class and the imported icon',
      async () => (await hasClass()) && existsSync(icon),
      20_000,
    );
    editor.kill();
    await gone;
    return { project, editorSaid: output() };
  }

  /** Runs a node without a display; `steps` are lines of GDScript about `node`, run in every frame. */
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
      'func _idle(_delta):',
      ...steps.map((step) => `\t${step}`),
    ];
    await writeFile(join(this.#folder, 'run.gd'), script.join('\n'));
    return this.#spawn(['-s', 'res://run.gd'], env);
  }

  #spawn(args: readonly string[], env: Record<string, string> = {}): ChildProcess {
    const own = { HOME: this.#folder, XDG_DATA_HOME: this.#folder, LC_ALL: 'C.UTF-8', LANG: 'en_US.UTF-8' };
    return spawn('godot3-server', ['--path', this.#folder, ...args], {
      env: { ...process.env, ...own, ...env },
      timeout: 30_000,
    });
  }
}

/**
 * A script of the manual, which is written for Godot 4, for Godot 3: the differences that the page about a first Godot
 * game lists.
 */
export function asGodot3(script: string): string {
  return script
    .replaceAll(/\bawait (.+?)\.completed\b/g, 'yield($1, "completed")')
    .replaceAll(/([\w.]+)\.(\w+)\.connect\((\w+)\)/g, '$1.connect("$2", self, "$3")')
    .replaceAll('Time.get_unix_time_from_system()', 'OS.get_unix_time()')
    .replaceAll('@export var', 'export var');
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
