import { describe } from 'vitest';
import { storageContract } from '../contracts/storage.contract.ts';
import { noPostgres } from '../support/postgres.ts';
import { openPostgresDatabase } from './postgres-database-under-test.ts';

describe.skipIf(noPostgres !== null)('on a real server', () => {
  storageContract('PostgreSQL with a thread that writes', () =>
    openPostgresDatabase({ writesInThread: true }),
  );
});
