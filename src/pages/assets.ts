/**
 * The files the pages are made of, by name: `play/index.html`, `shared/tokens.css`, `vendor/preact/preact.mjs`,
 * `client/client.ts`. Read from folders by `directory-assets.ts`; a program that carries its files inside
 * itself gives them out through the same method.
 */
export interface Assets {
  /**
   * A file's bytes as browsers are to get them; null when there is none of this name. Files that have not
   * changed are the same object again, so that what was computed of them need not be computed again.
   */
  read(name: string): Promise<Uint8Array | null>;
}
