/** How the directory begins in which a restore unpacks a backup; it is gone when the restore has ended. */
export const restoringPrefix = 'restoring-';
