import manifest from '../../package.json' with { type: 'json' };

/** Gantry's version, as in package.json. */
export const { version } = manifest;
