import { Command } from 'commander';
import { readConfig } from '../config.ts';
import { Registry } from '../features/operation.ts';
import { operations, operationTopics } from '../server/declarations/operations.ts';
import { openApiDocument } from '../transports/openapi/document.ts';

export function openApiCommand(): Command {
  return new Command('openapi')
    .description('print the OpenAPI 3.1 document served at /openapi.json')
    .option('--json', 'print it on one line')
    .addHelpText('after', '\nExample:\n  gantry openapi > openapi.json')
    .action(({ json }: { json?: boolean }) => {
      process.stdout.write(openApiText(json ? 0 : 2));
    });
}

export function openApiText(indent = 0): string {
  const { publicUrl, host, port } = readConfig();
  const url = publicUrl ?? `http://${host}:${port}`;
  return `${JSON.stringify(openApiDocument(new Registry(operations), operationTopics, url), null, indent)}\n`;
}
