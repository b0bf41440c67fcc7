import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { v5 } from 'uuid';
import { vendoredFiles } from '../../pages/vendored-files.ts';

interface Component {
  'bom-ref': string;
  name: string;
  scope?: string;
}

interface Sbom {
  serialNumber: string;
  metadata: { timestamp: string; component: Component };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

/**
 * The components of a release, as CycloneDX. npm lists everything that the lock file installs, tests and tools included,
 * and does not know which development dependencies are bundled into the pages. Only those are kept that the program
 * requires, or that source maps of the pages in `packageFolder`, the built npm package, name. Node and SQLite, which are
 * not packages of npm, are added.
 */
export function createSbom(source: string, packageFolder: string, time: Date): Sbom {
  const printed = execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], {
    cwd: source,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const sbom = JSON.parse(printed) as Sbom;
  const inPages = new Set([
    ...packagesInMaps(join(packageFolder, 'pages/bundles')),
    ...vendoredFiles.map(({ package: name }) => `node_modules/${name}`),
  ]);
  // socket.io-client's own source map names packages of its authors' machine.
  const installed = [...inPages].filter((folder) => existsSync(join(source, folder, 'package.json')));
  const pageRefs = new Set(installed.map((folder) => refOf(join(source, folder))));
  const shipped = sbom.components.flatMap((component) =>
    component.scope === 'required' || pageRefs.has(component['bom-ref'])
      ? { ...component, scope: 'required' }
      : [],
  );
  // npm names it after the folder.
  const component = { ...sbom.metadata.component, name: 'gantry', type: 'application', properties: [] };
  const refs = new Set([component, ...shipped].map((one) => one['bom-ref']));
  const dependencies = sbom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) }));
  const header = join(source, 'node_modules/better-sqlite3/deps/sqlite3/sqlite3.h');
  const [, sqlite = ''] = /SQLITE_VERSION +"(.+)"/.exec(readFileSync(header, 'utf8')) ?? [];
  const components = [
    ...shipped,
    native('platform', 'node', process.versions.node, 'nodejs:node.js'),
    native('library', 'sqlite', sqlite, 'sqlite:sqlite'),
  ];
  const metadata = { ...sbom.metadata, timestamp: time.toISOString(), component };
  // npm's number and time differ in every run.
  const serialNumber = `urn:uuid:${v5(JSON.stringify([metadata, components]), v5.URL)}`;
  return { ...sbom, serialNumber, metadata, components, dependencies };
}

/** Scanners for vulnerabilities find these by their CPE. */
function native(type: string, name: string, version: string, product: string) {
  const cpe = `cpe:2.3:a:${product}:${version}:*:*:*:*:*:*:*`;
  const purl = `pkg:generic/${name}@${version}`;
  return { 'bom-ref': `${name}@${version}`, type, name, version, scope: 'required', cpe, purl };
}

/** The folders of the packages that bundles were made of. */
function packagesInMaps(folder: string): string[] {
  const maps = globSync('**/*.map', { cwd: folder }).map((name) => readFileSync(join(folder, name), 'utf8'));
  return maps
    .flatMap((text) => (JSON.parse(text) as { sources: string[] }).sources)
    .flatMap((source) => /node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+/.exec(source)?.[0] ?? []);
}

function refOf(folder: string): string {
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return `${name}@${version}`;
}
