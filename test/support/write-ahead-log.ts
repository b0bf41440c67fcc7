import { readFileSync } from 'node:fs';

const headerBytes = 32;
const frameHeaderBytes = 24;

/**
 * How many transactions a database file's write-ahead log contains since its last reset: each ends in a frame with the
 * size of the database (https://www.sqlite.org/fileformat2.html#walformat).
 */
export function transactionsInLog(databaseFile: string): number {
  const log = readFileSync(`${databaseFile}-wal`);
  if (log.length < headerBytes) return 0;
  const pageBytes = log.readUInt32BE(8);
  const salt = log.subarray(16, 24);
  let transactions = 0;
  for (let at = headerBytes; at + frameHeaderBytes <= log.length; at += frameHeaderBytes + pageBytes) {
    const isOfThisLog = log.subarray(at + 8, at + 16).equals(salt); // older frames follow the end
    if (!isOfThisLog) break;
    if (log.readUInt32BE(at + 4) !== 0) transactions++;
  }
  return transactions;
}
