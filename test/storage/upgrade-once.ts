import { openDatabase } from '../../src/engines/sqlite/open-database.ts';

/** Opens a database, which upgrades it, and prints when it begins and when it is done. */
const [file = ''] = process.argv.slice(2);
process.stdout.write('begin\n');
openDatabase(file).close();
process.stdout.write('done\n');
