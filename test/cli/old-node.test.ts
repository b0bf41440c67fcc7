import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { gantry } from '../support/gantry-process.ts';

const oldNode = ['/usr/bin/node', '/usr/local/bin/node'].find((path) => {
  const version = versionOf(path);
  return version !== null && version < 24;
});
const reason = oldNode ? '' : ' (skipped: this machine has no Node older than 24)';

test.skipIf(!oldNode).each([['serve'], ['game', 'list'], ['--help']])(
  `under an older Node, gantry %s says in one line what it requires${reason}`,
  async (...command) => {
    const { code, stdout, stderr } = await gantry(command, oldNode === undefined ? {} : { node: oldNode });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^Gantry needs Node 24 or newer, and this is v\d+\.\d+\.\d+\. .+\n$/);
    expect(stderr.trimEnd()).not.toContain('\n');
  },
);

function versionOf(node: string): number | null {
  try {
    return Number.parseInt(execFileSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' }), 10);
  } catch {
    return null;
  }
}
