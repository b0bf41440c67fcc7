import Database from 'better-sqlite3';

/**
 * Preloaded into a server (`--import`, which its threads inherit): makes every connection commit without waiting for
 * the disk, a fault that the power loss test must find.
 */
const { pragma } = Database.prototype;
Database.prototype.pragma = function (this: Database.Database, source, options) {
  return pragma.call(this, source.replace(/^synchronous = FULL$/, 'synchronous = NORMAL'), options);
};
