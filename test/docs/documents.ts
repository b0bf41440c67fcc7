import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../support/gantry-process.ts';

/** README.md and the pages of the manual, in the order their examples build on each other; others come after these. */
const inOrder = [
  'README.md',
  ...[
    'first-session',
    'calling',
    'states',
    'authentication',
    'sign-in',
    'live-events',
    'errors',
    'rate-limits',
    'rules',
    'webhooks',
    'configuration',
    'command-line',
    'administration',
    'administrators',
    'moderation',
    'player-data',
    'security',
    'operating',
    'back-up',
    'troubleshooting',
    'benchmarks',
  ].map((name) => `public/docs/${name}.md`),
];

/** Documents by their path in the repository. */
export const documents: ReadonlyMap<string, string> = new Map(
  [...new Set([...inOrder, ...existingPages()])].map((path) => [
    path,
    readFileSync(join(repository, path), 'utf8'),
  ]),
);

function existingPages(): string[] {
  return readdirSync(join(repository, 'public/docs'))
    .filter((name) => name.endsWith('.md'))
    .toSorted()
    .map((name) => `public/docs/${name}`);
}
