import { Command } from 'commander';
import { z } from 'zod';
import { readConfig } from '../config.ts';
import { print } from './output.ts';

const answerWithinMs = 5_000;
const answer = z.object({ status: z.string(), reason: z.string().optional() });

interface Options {
  url?: string;
  json?: boolean;
}

export function healthcheckCommand(): Command {
  return new Command('healthcheck')
    .description('ask the server at HOST and PORT whether it takes calls; ends with 1 when it does not')
    .option('--url <url>', 'a server elsewhere, such as http://gantry:3000')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nA server that goes on without its Redis is healthy: restarting it would mend nothing.' +
        '\n\nExample:\n  gantry healthcheck && echo healthy',
    )
    .action(async ({ url = ownUrl(), json }: Options) => {
      const health = await ask(url);
      print(health, json);
      if (!health.healthy) process.exitCode = 1;
    });
}

/** Where a server with these settings can be reached from this machine. */
function ownUrl(): string {
  const { host, port } = readConfig();
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`;
}

async function ask(url: string): Promise<{ healthy: boolean; status: string; reason?: string }> {
  try {
    const response = await fetch(new URL('/readyz', url), { signal: AbortSignal.timeout(answerWithinMs) });
    const parsed = answer.safeParse(await response.json());
    if (!response.ok || !parsed.success) return { healthy: false, status: `answered ${response.status}` };
    const { status, reason } = parsed.data;
    return { healthy: true, status, ...(reason !== undefined && { reason }) };
  } catch {
    return { healthy: false, status: `no answer at ${url}` };
  }
}
