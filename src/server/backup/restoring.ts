/** Prefix of the directory in which a restore unpacks a backup; it is removed when the restore ends. */
export const restoringPrefix = 'restoring-';
