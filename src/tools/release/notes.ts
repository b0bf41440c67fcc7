import { withoutLinks } from './changelog.ts';

/** The notes of a release, for the page it is downloaded from: what changes for whom, the files, and how to check them. */
export function releaseNotes(
  { version, date, notes }: { version: string; date: string; notes: string },
  files: readonly string[],
): string {
  const rows = files.map((name) => `| \`${name}\` | ${describe(name)} |`);
  return `# Gantry ${version}

${date}

${withoutLinks(notes).replaceAll(/^### /gm, '## ')}

## Files

| File | |
|---|---|
${rows.join('\n')}

Check a download with \`sha256sum --check --ignore-missing SHA256SUMS\`.

Every change is in CHANGELOG.md, which each server shows at \`/docs/changelog\`; \`/docs/upgrade\` says how to upgrade.
`;
}

const kinds: readonly (readonly [name: RegExp, what: string])[] = [
  [/-darwin-\w+$/, 'executable for macOS; sign it first: `codesign --sign - <file>`'],
  [/-linux-\w+$/, 'executable for Linux'],
  [/\.exe$/, 'executable for Windows'],
  [/^gantry-client-.*\.tgz$/, 'TypeScript client: `npm install <file>`'],
  [/^com\..*\.tgz$/, 'C# SDK for Unity: *Add package from tarball* in the Package Manager'],
  [/\.tgz$/, 'server for Node 24 and newer: `npm install -g <file>`'],
  [/-godot-/, 'GDScript SDK: unpack `addons` into a Godot project'],
  [/\.whl$/, 'Python SDK: `pip install <file>`'],
  [/\.tar\.gz$/, 'Python SDK, its source'],
  [/\.cdx\.json$/, 'components of the server and the pages (CycloneDX)'],
  [/\.provenance\.json$/, 'what the files were made of (SLSA provenance, not signed)'],
];

function describe(name: string): string {
  const [, what] = kinds.find(([pattern]) => pattern.test(name)) ?? [];
  if (what === undefined) throw new Error(`${name} is no file of a release`);
  return what;
}
