import { storeContract } from '../contracts/store.contract.ts';
import { openSqliteStore } from './sqlite-store-under-test.ts';

storeContract('SQLite', openSqliteStore);
