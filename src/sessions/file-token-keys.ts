import { readFileSync, statSync } from 'node:fs';
import { KeyFileError, readOrCreateKeyFile, replaceKeyFile } from '../runtime/key-file.ts';
import { keysAsText, newKey, parseKeys, type TokenKey, type TokenKeyStore } from './token-keys.ts';

/** How often a running server looks whether the command line has rotated the keys. */
const lookEveryMs = 1_000;

/** The key pairs in a file of the data directory, made when it is first opened. For processes that share the directory. */
export class FileTokenKeys implements TokenKeyStore {
  readonly unnoticedMs = lookEveryMs;
  readonly #file: string;
  #keys: readonly TokenKey[];
  #readAt = 0;
  #modifiedAt = 0;

  /** @throws KeyFileError */
  constructor(file: string) {
    this.#file = file;
    readOrCreateKeyFile(file, () => keysAsText([newKey()]));
    this.#keys = this.#read();
  }

  /** A file that is gone, or cannot be read just now, takes nothing away: what is known goes on. */
  async read(): Promise<readonly TokenKey[]> {
    const now = Date.now();
    if (now - this.#readAt >= lookEveryMs) {
      this.#readAt = now;
      this.#readAgain();
    }
    return this.#keys;
  }

  async replace(change: (keys: readonly TokenKey[]) => readonly TokenKey[]): Promise<void> {
    replaceKeyFile(this.#file, keysAsText(change(this.#read())));
    this.#keys = this.#read();
  }

  #readAgain(): void {
    try {
      if (statSync(this.#file).mtimeMs !== this.#modifiedAt) this.#keys = this.#read();
    } catch {
      this.#modifiedAt = 0; // looked at again the next time
    }
  }

  #read(): readonly TokenKey[] {
    this.#modifiedAt = statSync(this.#file).mtimeMs;
    const text = readFileSync(this.#file, 'utf8');
    try {
      return parseKeys(text);
    } catch {
      throw new KeyFileError(
        `${this.#file} does not hold the keys that tokens are signed with. Put it back from a backup; if there is ` +
          'none, remove it and run `gantry key rotate`: players then sign in again.',
      );
    }
  }
}
