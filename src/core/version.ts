import manifest from '../../package.json' with { type: 'json' };

/** Gantry's version, as in package.json. */
export const { version } = manifest;

/** The header in which clients send the version of their SDK, and the server answers with its own. */
export const versionHeader = 'X-Gantry-Version';
