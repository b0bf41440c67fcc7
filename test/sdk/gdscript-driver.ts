import { spawnSync } from 'node:child_process';
import { copyFile, cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repository } from '../support/gantry-process.ts';
import type { DriverEntry } from './drivers.ts';

const place = join(repository, 'test/sdk/drivers/gdscript');

export const gdscriptDriver: DriverEntry = {
  name: 'GDScript in Godot 3',
  missing:
    spawnSync('godot3-server', ['--version']).error === undefined
      ? null
      : 'no Godot here: apt-get install godot3-server',
  async prepare(folder) {
    await cp(join(repository, 'public/sdk/gdscript/addons'), join(folder, 'addons'), { recursive: true });
    await copyFile(join(place, 'driver.gd'), join(folder, 'driver.gd'));
    await writeFile(join(folder, 'project.godot'), 'config_version=4\n');
    return { command: process.execPath, args: [join(place, 'bridge.ts'), folder] };
  },
};
