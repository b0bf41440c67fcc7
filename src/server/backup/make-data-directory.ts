import { DatabaseUnusableError } from '../../core/storage/database-unusable.ts';
import { makeDirectory } from '../../runtime/make-directory.ts';

/**
 * Creates a data directory and those above it, if missing, and then what `fill` puts there.
 * @throws DatabaseUnusableError
 */
export function makeDataDirectory(dataDirectory: string, fill: () => void): void {
  try {
    makeDirectory(dataDirectory, 0o700);
    fill();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new DatabaseUnusableError(
      `${dataDirectory} cannot be the data directory (${why}). Set DATA_DIR to a directory on a local disk, to which ` +
        'the user of this process may write.',
      { cause: error },
    );
  }
}
