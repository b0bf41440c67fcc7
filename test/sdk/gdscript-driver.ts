import { copyFile, cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repository } from '../support/gantry-process.ts';
import type { DriverEntry } from './drivers.ts';
import type { Godot } from './godots.ts';

const place = join(repository, 'test/sdk/drivers/gdscript');

/** The driver of the GDScript SDK in a Godot. */
export const gdscriptDriver = (godot: Godot): DriverEntry => ({
  name: `GDScript in ${godot.name}`,
  missing: godot.missing,
  async prepare(folder) {
    await cp(join(repository, 'public/sdk/gdscript/addons'), join(folder, 'addons'), { recursive: true });
    await copyFile(join(place, 'driver.gd'), join(folder, 'driver.gd'));
    await copyFile(join(place, `engine_godot${godot.major}.gd`), join(folder, 'engine.gd'));
    await writeFile(join(folder, 'project.godot'), godot.project);
    return {
      command: process.execPath,
      args: [join(place, 'bridge.ts'), folder, godot.command, ...godot.args],
    };
  },
});
