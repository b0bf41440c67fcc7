import { spawnSync } from 'node:child_process';

/** A Godot in which the GDScript SDK is tested. */
export interface Godot {
  name: string;
  major: 3 | 4;
  command: string;
  /** For a machine without a display. */
  args: readonly string[];
  /** The smallest `project.godot`. */
  project: string;
  /** Why it cannot run here; null when it can. */
  missing: string | null;
}

const versionOf = (command: string) => spawnSync(command, ['--version'], { encoding: 'utf8' }).stdout ?? '';

export const godot3: Godot = {
  name: 'Godot 3',
  major: 3,
  command: 'godot3-server',
  args: [],
  project: 'config_version=4\n',
  missing: versionOf('godot3-server') === '' ? 'no Godot here: apt-get install godot3-server' : null,
};

const command4 = process.env.GODOT4 ?? ['godot4', 'godot'].find((name) => versionOf(name).startsWith('4.'));

if (command4 === undefined) {
  process.stderr.write(
    'Nothing is run in Godot 4: no godot4 or godot on the PATH (https://godotengine.org/download), and GODOT4 names none\n',
  );
}

/**
 * Where the tests of the GDScript SDK run. Without a Godot 4, there are no tests in it instead of skipped ones: Debian has
 * no package of it that CI could install, and skipped tests fail a CI run.
 */
export const godots: readonly Godot[] =
  command4 === undefined
    ? [godot3]
    : [
        godot3,
        {
          name: 'Godot 4',
          major: 4,
          command: command4,
          args: ['--headless'],
          project: 'config_version=5\n',
          missing: null,
        },
      ];
