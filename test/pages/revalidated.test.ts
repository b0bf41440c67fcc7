import { expect, test } from 'vitest';
import type { Assets } from '../../src/pages/assets.ts';
import { DirectoryAssets } from '../../src/pages/directory-assets.ts';
import { Manual } from '../../src/pages/manual.ts';
import { Revalidated } from '../../src/pages/revalidated.ts';
import { SdkArchives } from '../../src/pages/sdk-archives.ts';
import { until } from '../support/until.ts';

/** The repository's assets, some of which are edited; counts how often each is read. */
class CountedAssets implements Assets {
  readonly #assets = new DirectoryAssets();
  readonly edited = new Map<string, Uint8Array>();
  readonly reads = new Map<string, number>();
  walks = 0;

  names(): readonly string[] {
    this.walks++;
    return this.#assets.names();
  }

  async read(name: string): Promise<Uint8Array | null> {
    this.reads.set(name, (this.reads.get(name) ?? 0) + 1);
    return this.edited.get(name) ?? this.#assets.read(name);
  }
}

const visitors = Array.from({ length: 200 }, (_, at) => at);
const text = (bytes: Uint8Array | null) => bytes && Buffer.from(bytes).toString();

test('hundreds of first visitors of the manual wait for the same rendering, after one look at each file', async () => {
  const assets = new CountedAssets();
  const manual = new Manual(assets);
  const pages = await Promise.all(visitors.map(() => manual.page('errors')));
  expect(text(pages[0] ?? null)).toContain('Rate limits');
  expect(new Set(pages).size).toBe(1);
  expect(assets.walks).toBe(1);
  expect(Math.max(...assets.reads.values())).toBe(1);
  const indexes = await Promise.all(visitors.map(() => manual.searchIndex()));
  expect(new Set(indexes).size).toBe(1);
});

test('other work runs between two pages of the manual while it is rendered', async () => {
  const manual = new Manual(new DirectoryAssets());
  let turns = 0;
  let isRendered = false;
  const count = () => {
    turns++;
    if (!isRendered) setImmediate(count);
  };
  setImmediate(count);
  await manual.page('errors');
  isRendered = true;
  expect(turns).toBeGreaterThan(20);
});

test('an edited page of the manual is shown by a later visit, rendered anew', async () => {
  const assets = new CountedAssets();
  const manual = new Manual(assets);
  expect(text(await manual.page('moderation'))).not.toContain('A word that was added');
  const original = text(await assets.read('docs/moderation.md'));
  assets.edited.set('docs/moderation.md', Buffer.from(`${original}\n\nA word that was added\n`));
  await until('the edit', async () =>
    text(await manual.page('moderation'))?.includes('A word that was added'),
  );
  expect(text(await manual.searchIndex())).toContain('A word that was added');
});

test('visitors of an archive of an SDK wait for the same one, after one look at each file', async () => {
  const counted = new CountedAssets();
  const assets = new SdkArchives(counted);
  const read = await Promise.all(visitors.map(() => assets.read('sdk/python.zip')));
  expect(read[0]?.length).toBeGreaterThan(100);
  expect(new Set(read).size).toBe(1);
  expect(counted.reads.get('sdk/python/gantry/client.py')).toBe(1);
});

test('visitors of a file wait for one look at the disk', async () => {
  const assets = new DirectoryAssets();
  const read = await Promise.all(visitors.map(() => assets.read('vendor/inter/inter-latin.woff2')));
  expect(read[0]?.length).toBeGreaterThan(10_000);
  expect(new Set(read).size).toBe(1);
});

test('a value that cannot be made is tried again for the next caller', async () => {
  let tries = 0;
  const value = new Revalidated(async () => {
    tries++;
    if (tries === 1) throw new Error('not yet');
    return 'made';
  });
  await expect(Promise.all([value.current(), value.current()])).rejects.toThrow('not yet');
  expect(await value.current()).toBe('made');
  expect(tries).toBe(2);
});
