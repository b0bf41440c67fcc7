import { GantryError } from '../../core/errors.ts';

/**
 * `version`: the stored state's, undefined when there is none. `ifVersion`: the one the caller expects, 0 for none.
 * @throws GantryError `version_conflict` with the stored version when they differ; never without `ifVersion`
 */
export function refuseOtherVersion(
  label: string,
  version: number | undefined,
  ifVersion: number | undefined,
): void {
  if (ifVersion === undefined || ifVersion === (version ?? 0)) return;
  throw versionConflict(label, version, ifVersion);
}

function versionConflict(label: string, version: number | undefined, ifVersion: number): GantryError {
  const found =
    version === undefined
      ? `There is no state ${JSON.stringify(label)}`
      : `The state ${JSON.stringify(label)} has version ${version}`;
  const expected = ifVersion === 0 ? 'none was expected' : `version ${ifVersion} was expected`;
  return new GantryError(
    'version_conflict',
    `${found}, but ${expected}. Nothing was written: read the state again, and decide based on its current content`,
    { present: { label, version: version ?? 0 } },
  );
}
