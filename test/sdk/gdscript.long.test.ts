import { describe, test } from 'vitest';
import { Driver } from './driver.ts';
import { gdscriptDriver } from './gdscript-driver.ts';
import { godots } from './godots.ts';
import { describeWithRealServer } from './real-server.ts';
import { describeRules } from './rules.ts';
import { describeStateFileRules } from './state-file-rules.ts';

for (const godot of godots) {
  const title = `the GDScript SDK in ${godot.name}`;
  describe.skipIf(godot.missing !== null)(title, () => {
    describeRules(() => Driver.start(gdscriptDriver(godot)));
    describeWithRealServer(() => Driver.start(gdscriptDriver(godot)));
    describeStateFileRules(() => Driver.start(gdscriptDriver(godot)));
  });

  // Not skipped when nothing is missing: skipped tests fail a CI run.
  if (godot.missing !== null) test(title, ({ skip }) => skip(true, godot.missing ?? ''));
}
