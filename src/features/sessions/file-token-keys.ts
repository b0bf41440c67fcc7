import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { commandOn } from '../../core/command-hint.ts';
import { KeyFileError, readOrCreateKeyFile, replaceKeyFile } from '../../runtime/key-file.ts';
import { generateKey, parseKeys, serializeKeys, type TokenKey, type TokenKeyStore } from './token-keys.ts';

/** How often a running server checks whether the CLI has rotated the keys. */
const checkIntervalMs = 1_000;

/**
 * Stores the key pairs in a file of the data directory, created on first use. For processes that share the directory.
 */
export class FileTokenKeys implements TokenKeyStore {
  readonly maxStalenessMs = checkIntervalMs;
  readonly #file: string;
  #keys: readonly TokenKey[];
  #readAt = 0;
  #modifiedAt = 0;

  /** @throws KeyFileError */
  constructor(file: string) {
    this.#file = file;
    readOrCreateKeyFile(file, () => serializeKeys([generateKey()]));
    this.#keys = this.#read();
  }

  /** While the file is missing or unreadable, the cached keys stay in use. */
  async read(): Promise<readonly TokenKey[]> {
    const now = performance.now(); // a clock that is set back must not delay the check
    if (now - this.#readAt >= checkIntervalMs) {
      this.#readAt = now;
      this.#refresh();
    }
    return this.#keys;
  }

  async replace(change: (keys: readonly TokenKey[]) => readonly TokenKey[]): Promise<void> {
    replaceKeyFile(this.#file, serializeKeys(change(this.#read())));
    this.#keys = this.#read();
  }

  #refresh(): void {
    try {
      if (statSync(this.#file).mtimeMs !== this.#modifiedAt) this.#keys = this.#read();
    } catch {
      this.#modifiedAt = 0; // read again at the next check
    }
  }

  #read(): readonly TokenKey[] {
    this.#modifiedAt = statSync(this.#file).mtimeMs;
    const text = readFileSync(this.#file, 'utf8');
    try {
      return parseKeys(text);
    } catch {
      throw new KeyFileError(
        `${this.#file} does not hold the keys that tokens are signed with. Restore it from a backup; if there is ` +
          `none, remove it and run ${commandOn(dirname(this.#file), 'gantry key rotate')}: players must then sign in again.`,
      );
    }
  }
}
