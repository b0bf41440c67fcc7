/** Why a release cannot be made, in words for the person who wanted it. */
export class ReleaseRefused extends Error {}
