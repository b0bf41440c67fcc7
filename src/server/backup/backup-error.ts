/** A backup cannot be made or restored; the message says why, and what to do. Nothing was changed. */
export class BackupError extends Error {}
