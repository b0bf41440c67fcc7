/** A file of an installed package that is served to browsers. No other file of a package is served. */
export interface VendoredFile {
  /** Its address is `/vendor/<path>`. */
  path: string;
  package: string;
  /** Within the package. */
  file: string;
  /** An ES module: in the import map, under this specifier when pages or other modules import it by one. */
  module?: string | true;
}

const interFont = '@fontsource-variable/inter';

export const vendoredFiles: readonly VendoredFile[] = [
  { path: 'preact/preact.mjs', package: 'preact', file: 'dist/preact.mjs', module: 'preact' },
  { path: 'preact/hooks.mjs', package: 'preact', file: 'hooks/dist/hooks.mjs', module: 'preact/hooks' },
  { path: 'htm/htm.mjs', package: 'htm', file: 'dist/htm.mjs', module: 'htm' },
  { path: 'htm/preact.mjs', package: 'htm', file: 'preact/index.mjs', module: 'htm/preact' },
  {
    path: 'socket.io-client/socket.io.esm.min.js',
    package: 'socket.io-client',
    file: 'dist/socket.io.esm.min.js',
    module: 'socket.io-client',
  },
  { path: 'uplot/uPlot.esm.js', package: 'uplot', file: 'dist/uPlot.esm.js', module: 'uplot' },
  { path: 'uplot/uPlot.min.css', package: 'uplot', file: 'dist/uPlot.min.css' },
  { path: 'swagger-ui/swagger-ui-bundle.js', package: 'swagger-ui-dist', file: 'swagger-ui-bundle.js' },
  { path: 'swagger-ui/swagger-ui.css', package: 'swagger-ui-dist', file: 'swagger-ui.css' },
  // CodeMirror, the rule editor, which only the rules view loads.
  ...[
    ['@codemirror/commands', 'dist/index.js'],
    ['@codemirror/lang-json', 'dist/index.js'],
    ['@codemirror/language', 'dist/index.js'],
    ['@codemirror/lint', 'dist/index.js'],
    ['@codemirror/state', 'dist/index.js'],
    ['@codemirror/streamparser', 'dist/index.js'],
    ['@codemirror/view', 'dist/index.js'],
    ['@lezer/common', 'dist/index.js'],
    ['@lezer/highlight', 'dist/index.js'],
    ['@lezer/json', 'dist/index.js'],
    ['@lezer/lr', 'dist/index.js'],
    ['@marijn/find-cluster-break', 'src/index.js'],
    ['crelt', 'index.js'],
    ['style-mod', 'src/style-mod.js'],
    ['w3c-keyname', 'index.js'],
  ].map(([name = '', file = '']) => ({
    path: `codemirror/${name.replace('@', '').replace('/', '-')}.js`,
    package: name,
    file,
    module: name,
  })),
  // A variable font with all weights; non-Latin letters use the system's font. Its licence must be distributed with it.
  { path: 'inter/inter-latin.woff2', package: interFont, file: 'files/inter-latin-wght-normal.woff2' },
  { path: 'inter/LICENSE.txt', package: interFont, file: 'LICENSE' },
];

/** The reference client (`src/sdk/client/`), which runs in browsers as it does in Node. */
export const clientFiles: readonly string[] = [
  'client.ts',
  'gantry-client.ts',
  'sign-in.ts',
  'call-queue.ts',
  'client-error.ts',
  'cursors.ts',
  'http-call.ts',
  'operation-names.ts',
  'store.ts',
];

/** The manual's pages outside `public/docs/`: their paths relative to `src/`, by asset name. */
export const documentFiles: Readonly<Record<string, string>> = {
  'docs/index.md': '../README.md',
  'docs/contributing.md': '../CONTRIBUTING.md',
  'docs/changelog.md': '../CHANGELOG.md',
  'docs/protocol.md': 'transports/socket/PROTOCOL.md',
};

/** Every module in the import map, by asset name. */
export const mappedAssets: readonly { name: string; specifier?: string }[] = [
  ...vendoredFiles
    .filter(({ module }) => module !== undefined)
    .map(({ path, module }) => ({
      name: `vendor/${path}`,
      ...(typeof module === 'string' && { specifier: module }),
    })),
  ...clientFiles.map((file) => ({
    name: `client/${file}`,
    ...(file === 'client.ts' && { specifier: 'gantry-client' }),
  })),
];
