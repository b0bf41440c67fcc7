import { GantryError } from '../errors.ts';

/**
 * `version` is that of the state under the label, undefined where there is none; `ifVersion` the one a caller asks for, 0
 * for none.
 * @throws GantryError `version_conflict` when they differ, with the version there is; never without `ifVersion`
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
  const there =
    version === undefined
      ? `There is no state ${JSON.stringify(label)}`
      : `The state ${JSON.stringify(label)} has the version ${version}`;
  const wanted = ifVersion === 0 ? 'there should be none' : `${ifVersion} was expected`;
  return new GantryError(
    'version_conflict',
    `${there}, and ${wanted}: read it again, and decide on what it is now. Nothing was written`,
    { present: { label, version: version ?? 0 } },
  );
}
