/**
 * The files of the pages, by name: `play/index.html`, `shared/tokens.css`, `vendor/uplot/uPlot.min.css`.
 * `directory-assets.ts` reads them from folders, `built-assets.ts` from a build or from inside the executable.
 */
export interface Assets {
  /** The name of every asset; a file added while the server runs may be missing for a second. */
  names(): readonly string[];
  /**
   * A file's bytes as served to browsers; null when there is no such file. An unchanged file
   * is the same object, so that values computed from it can be cached.
   */
  read(name: string): Promise<Uint8Array | null>;
}
