import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

const name = 'com.gantry.client';

/** Where a server on the developer's own machine serves these; Unity shows the package's own files while none runs. */
const ownServer = 'http://127.0.0.1:3000';

/**
 * The files that make the C# SDK in `folder` a package of the Unity Package Manager, by path: its manifest, its licence,
 * and the `.meta` file of every file and folder. Without those, Unity ignores the files of an installed package, and
 * with other GUIDs it would lose a scene's references to them.
 * https://docs.unity3d.com/2021.3/Documentation/Manual/cus-layout.html
 */
export async function unityPackageFiles(folder: string, repository: string): Promise<Record<string, string>> {
  const { version, license } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')) as {
    version: string;
    license: string;
  };
  const own = {
    'package.json': `${JSON.stringify(manifest(version, license), null, 2)}\n`,
    'LICENSE.md': await readFile(join(repository, 'LICENSE'), 'utf8'),
  };
  const paths = await assetsIn(folder);
  for (const path of Object.keys(own)) paths.set(path, { isFolder: false });
  const metas = [...paths].map(([path, { isFolder }]) => [`${path}.meta`, meta(path, isFolder)]);
  return { ...own, ...Object.fromEntries(metas) };
}

/** https://docs.unity3d.com/2021.3/Documentation/Manual/upm-manifestPkg.html */
function manifest(version: string, license: string) {
  return {
    name,
    displayName: 'Gantry',
    version,
    unity: '2021.3',
    description:
      'The C# SDK of Gantry, a self-hosted backend for games: scores, leaderboards, states, live events.',
    keywords: ['backend', 'leaderboard', 'multiplayer', 'realtime', 'websocket'],
    author: { name: 'Gantry contributors' },
    license,
    documentationUrl: `${ownServer}/docs/sdks#c`,
    changelogUrl: `${ownServer}/docs/changelog`,
    licensesUrl: `${ownServer}/sdk/csharp/LICENSE.md`,
    samples: [
      {
        displayName: 'Leaderboard',
        description: 'A small game: connects as a guest, scores, and shows the leaderboard as it changes.',
        path: 'Samples~/Leaderboard',
      },
    ],
  };
}

/** Every file and folder that has a `.meta` file: `Samples~` itself has none, its contents have, as they are imported. */
async function assetsIn(folder: string): Promise<Map<string, { isFolder: boolean }>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const assets = entries
    .filter((entry) => !/\.meta$|~$/.test(entry.name))
    .map((entry): [string, { isFolder: boolean }] => [
      relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'),
      { isFolder: entry.isDirectory() },
    ]);
  return new Map(assets.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

function meta(path: string, isFolder: boolean): string {
  return [
    'fileFormatVersion: 2',
    `guid: ${createHash('sha256').update(`${name}/${path}`).digest('hex').slice(0, 32)}`,
    ...(isFolder ? ['folderAsset: yes'] : []),
    ...importer(path, isFolder),
    '  userData: ',
    '  assetBundleName: ',
    '  assetBundleVariant: ',
    '',
  ].join('\n');
}

/** How Unity imports an asset, with its settings. */
function importer(path: string, isFolder: boolean): readonly string[] {
  if (isFolder) return ['DefaultImporter:', '  externalObjects: {}'];
  if (path === 'package.json') return ['PackageManifestImporter:', '  externalObjects: {}'];
  switch (path.slice(path.lastIndexOf('.'))) {
    case '.cs':
      return [
        'MonoImporter:',
        '  externalObjects: {}',
        '  serializedVersion: 2',
        '  defaultReferences: []',
        '  executionOrder: 0',
        '  icon: {instanceID: 0}',
      ];
    case '.asmdef':
      return ['AssemblyDefinitionImporter:', '  externalObjects: {}'];
    case '.md':
      return ['TextScriptImporter:', '  externalObjects: {}'];
    case '.jslib':
      return [
        'PluginImporter:',
        '  externalObjects: {}',
        '  serializedVersion: 2',
        '  iconMap: {}',
        '  executionOrder: {}',
        '  defineConstraints: []',
        '  isPreloaded: 0',
        '  isOverridable: 0',
        '  isExplicitlyReferenced: 0',
        '  validateReferences: 1',
        '  platformData:',
        ...platform('Any', '', false),
        ...platform('Editor', 'Editor', false),
        ...platform('WebGL', 'WebGL', true),
      ];
    default:
      throw new Error(`${path}: no importer of Unity is known for files of this kind`);
  }
}

function platform(group: string, target: string, isEnabled: boolean): readonly string[] {
  return [
    '  - first:',
    `      ${group}: ${target}`,
    '    second:',
    `      enabled: ${isEnabled ? 1 : 0}`,
    '      settings: {}',
  ];
}
