import { expect, test } from 'vitest';
import { misspelledSettings } from '../../src/cli/misspelled-settings.ts';
import { environment } from '../../src/config.ts';
import { serveGantry } from '../support/gantry-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

test.each([
  ['REDIS_ULR', 'REDIS_URL'],
  ['GANTRY_DEMOO', 'GANTRY_DEMO'],
  ['DATABASE_URI', 'DATABASE_URL'],
  ['PUBLICURL', 'PUBLIC_URL'],
  ['RATE_LIMITS_FACTOR', 'RATE_LIMIT_FACTOR'],
  ['ADMIN_TOKEN_FIEL', 'ADMIN_TOKEN_FILE'],
])('%s is taken for a misspelled %s', (name, setting) => {
  expect(misspelledSettings([name])).toEqual([
    `The environment variable ${name} is not a setting, and has no effect. Is ${setting} meant?`,
  ]);
});

test('settings, and variables of other programs, are not', () => {
  const others =
    'PATH HOME HOSTNAME HOSTTYPE PWD OLDPWD SHELL SHLVL TERM USER LOGNAME LANG LC_ALL TZ TMPDIR EDITOR DISPLAY MAIL PORTS ' +
    'SSH_CONNECTION XDG_DATA_DIRS XDG_DATA_HOME XDG_SESSION_ID XDG_RUNTIME_DIR DESKTOP_SESSION PGDATA DATADIR MY_DATA_DIR ' +
    'NODE_ENV NODE_OPTIONS NODE_EXTRA_CA_CERTS NODE_LOG_LEVEL GO_LOG_LEVEL RUST_LOG CI GITHUB_TOKEN DEBUG VERBOSE LOG_LEVEL_DB ' +
    'npm_config_loglevel npm_lifecycle_event INIT_CWD HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY JOURNAL_STREAM INVOCATION_ID ' +
    'KUBERNETES_PORT KUBERNETES_SERVICE_HOST GANTRY_PORT GANTRY_SERVICE_PORT GANTRY_SERVICE_HOST GANTRY_PORT_3000_TCP_ADDR ' +
    'REDIS_PORT REDIS_HOST REDIS_PASSWORD REDIS_SERVICE_PORT POSTGRES_PASSWORD POSTGRES_URL METRICS_PATH WEBHOOK_URL ' +
    'FLY_APP_NAME FLY_REGION FLY_PUBLIC_IP FLY_PRIVATE_IP FLY_MACHINE_ID PRIMARY_REGION RENDER_SERVICE_ID RENDER_EXTERNAL_URL ' +
    'RAILWAY_PUBLIC_DOMAIN DYNO GANTRY_TOKEN GANTRY_URL GANTRY_HOME GANTRY_SECRET BASEMENT_PACKAGE SESSION_SECRET SESSION_KEY';
  const settings = Object.keys(environment.shape);
  expect(misspelledSettings([...others.split(' '), ...settings, 'ADMIN_TOKEN_FILE'])).toEqual([]);
});

test('the server warns of them when it starts', async () => {
  await using directory = await temporaryDirectory();
  await using server = await serveGantry(directory.path, { REDIS_ULR: 'redis://127.0.0.1:6379' });
  const line = JSON.parse(server.output.stderr);
  expect(line).toMatchObject({ level: 40, msg: expect.stringContaining('Is REDIS_URL meant?') });
});
