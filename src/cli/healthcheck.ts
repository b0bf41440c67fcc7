import { Command } from 'commander';
import { z } from 'zod';
import { readConfig } from '../config.ts';
import { httpUrl, parsed } from './options.ts';
import { print } from './output.ts';

const timeoutMs = 5_000;
const readiness = z.object({ status: z.string(), reason: z.string().optional() });

interface Options {
  url?: URL;
  json?: boolean;
}

export function healthcheckCommand(): Command {
  return new Command('healthcheck')
    .description('check whether the server at HOST and PORT is ready; exits with 1 if it is not')
    .option('--url <url>', 'check another server, such as http://gantry:3000', parsed(httpUrl))
    .addHelpText(
      'after',
      '\nA server that has lost Redis counts as healthy: a restart would not help.' +
        '\n\nExample:\n  gantry healthcheck && echo healthy',
    )
    .action(async ({ url = ownUrl(), json }: Options) => {
      const health = await checkHealth(url);
      print(health, json);
      if (!health.healthy) process.exitCode = 1;
    });
}

/** The URL at which this machine reaches a server with these settings. */
function ownUrl(): URL {
  const { host, port } = readConfig();
  const address = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return new URL(`http://${address.includes(':') ? `[${address}]` : address}:${port}`);
}

async function checkHealth(url: URL): Promise<{ healthy: boolean; status: string; reason?: string }> {
  try {
    const response = await fetch(new URL('/readyz', url), { signal: AbortSignal.timeout(timeoutMs) });
    const parsed = readiness.safeParse(await response.json());
    if (!response.ok || !parsed.success)
      return { healthy: false, status: `responded with ${response.status}` };
    const { status, reason } = parsed.data;
    return { healthy: true, status, ...(reason !== undefined && { reason }) };
  } catch {
    return { healthy: false, status: `no response from ${url.origin}` };
  }
}
