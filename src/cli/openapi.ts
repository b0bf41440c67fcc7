import { Command } from 'commander';
import { Registry } from '../calls/registry.ts';
import { readConfig } from '../config.ts';
import { operations, operationTopics } from '../server/declarations/operations.ts';
import { openApiDocument } from '../transports/openapi/document.ts';

export function openApiCommand(): Command {
  return new Command('openapi')
    .description('print the OpenAPI 3.1 document served at /openapi.json')
    .option('--json', 'print it on one line')
    .addHelpText('after', '\nExample:\n  gantry openapi > openapi.json')
    .action(({ json }: { json?: boolean }) => {
      const { publicUrl, host, port } = readConfig();
      const url = publicUrl ?? `http://${host}:${port}`;
      const document = openApiDocument(new Registry(operations), operationTopics, url);
      process.stdout.write(`${JSON.stringify(document, null, json ? 0 : 2)}\n`);
    });
}
