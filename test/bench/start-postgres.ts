import { PostgresServer } from '../support/postgres-server.ts';

/**
 * PostgreSQL with the settings that the manual recommends (public/docs/scaling-out.md, "Sizing"), for a small machine.
 */
export function startPostgres(settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
  return PostgresServer.start({
    fsync: true,
    settings: { shared_buffers: '1GB', max_wal_size: '4GB', ...settings },
  });
}
