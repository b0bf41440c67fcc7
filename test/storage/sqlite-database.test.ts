import { storageContract } from '../contracts/storage.contract.ts';
import { openSqliteDatabase } from './sqlite-database-under-test.ts';

storageContract('SQLite', openSqliteDatabase);
