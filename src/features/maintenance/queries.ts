import { query, type ReadSteps } from '../../core/storage/query.ts';
import { type MaintenanceRow, maintenance } from './tables.ts';

/** More than the games of an installation. */
const maxRows = 10_000;

/** All maintenance that is stored. Every process reads it every second. */
export const listMaintenanceRows = query(
  'listMaintenanceRows',
  function* (read): ReadSteps<readonly MaintenanceRow[]> {
    return yield* read.list(maintenance.inOrder, [], { limit: maxRows });
  },
  { max: 1, keyOf: () => '' },
);
