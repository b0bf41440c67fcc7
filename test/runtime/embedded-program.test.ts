import { Script } from 'node:vm';
import { expect, test } from 'vitest';
import { moduleLoader } from '../../src/runtime/embedded-program.ts';

const texts: Readonly<Record<string, string>> = {
  'start.js': `(function(require,module){
    const { sep } = require('node:path');
    module.exports = { sep, laterOf: () => require('./later.js'), absent: () => require('left-pad') };
  })`,
  'later.js':
    '(function(require,module){ module.exports = { start: require("./start.js"), three: () => 1 + 2 }; })',
};

interface Start {
  sep: string;
  laterOf(): { start: object; three(): number };
  absent(): unknown;
}

/** V8 takes a text that it has compiled before from memory, and compares a code cache only with the text's length. */
let round = 100;

/** Loads `start.js` with these code caches; `loaded` are the scripts, by name. */
function start(codeCaches: Readonly<Record<string, Uint8Array>> = {}) {
  const loaded = new Map<string, Script>();
  const load = moduleLoader(
    (name) => ({ text: Buffer.from(`${texts[name]}//${++round}`), codeCache: codeCaches[name] }),
    (name, script) => loaded.set(name, script),
  );
  return { module: load('start.js') as Start, loaded };
}

test('modules are loaded once, when they are first required, also by each other', () => {
  const { module, loaded } = start();
  expect(module.sep).toBe('/');
  expect([...loaded.keys()]).toEqual(['start.js']);
  expect(module.laterOf().start).toBe(module);
  expect(module.laterOf()).toBe(module.laterOf());
  expect([...loaded.keys()]).toEqual(['start.js', 'later.js']);
  expect(() => module.absent()).toThrow('left-pad');
});

test('a code cache is accepted for the text it was made of; a damaged or foreign one is rejected, and the text runs', () => {
  const cacheOf = (name: string) => start().loaded.get(name)?.createCachedData() ?? Buffer.of();
  const own = start({ 'start.js': cacheOf('start.js') });
  expect(own.loaded.get('start.js')?.cachedDataRejected).toBe(false);
  expect(own.module.laterOf().three()).toBe(3);

  const foreign = new Script('1 + 1').createCachedData();
  const damaged = cacheOf('start.js').map((byte, index) => (index === 4 ? byte ^ 0xff : byte));
  for (const codeCache of [foreign, damaged, Buffer.of(1, 2, 3)]) {
    const { module, loaded } = start({ 'start.js': codeCache });
    expect(loaded.get('start.js')?.cachedDataRejected).toBe(true);
    expect(module.laterOf().three()).toBe(3);
  }
});
