/** A backup cannot be made or used as asked for; the message says why, and what to do. Nothing was changed. */
export class BackupError extends Error {}
