/**
 * A file of an installed package that is served to browsers as it is; modules are in the bundles of the pages. No other
 * file of a package is served.
 */
export interface VendoredFile {
  /** Its address is `/vendor/<path>`. */
  path: string;
  package: string;
  /** Within the package. */
  file: string;
}

const interFont = '@fontsource-variable/inter';

export const vendoredFiles: readonly VendoredFile[] = [
  { path: 'uplot/uPlot.min.css', package: 'uplot', file: 'dist/uPlot.min.css' },
  // A variable font with all weights; non-Latin letters use the system's font. Its licence must be distributed with it.
  { path: 'inter/inter-latin.woff2', package: interFont, file: 'files/inter-latin-wght-normal.woff2' },
  { path: 'inter/LICENSE.txt', package: interFont, file: 'LICENSE' },
];

/** The manual's pages outside `public/docs/`: their paths relative to `src/`, by asset name. */
export const documentFiles: Readonly<Record<string, string>> = {
  'docs/index.md': '../README.md',
  'docs/contributing.md': '../CONTRIBUTING.md',
  'docs/changelog.md': '../CHANGELOG.md',
  'docs/protocol.md': 'transports/socket/PROTOCOL.md',
};
