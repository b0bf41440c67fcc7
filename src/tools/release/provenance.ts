import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { runtimeOf, type Target } from '../build/targets.ts';
import { checksumsOf, sha256 } from './checksums.ts';

/** What a release was made of. */
export interface Inputs {
  version: string;
  date: string;
  targets: readonly Target[];
  /** The program; null when it was not used. */
  python: string | null;
  /** The commit that the release follows, and the tree that the release's commit has. */
  commit: string;
  tree: string;
  /** The time of everything in the files, in seconds since 1970. */
  time: number;
  /** A copy of the tree. */
  source: string;
  /** Where the Node binaries of other platforms are kept. */
  runtimes: string;
}

/**
 * Says of what the files in `folder` were made, as an in-toto statement with a SLSA provenance, which is not signed.
 * https://slsa.dev/spec/v1.0/provenance
 */
export async function provenanceOf(folder: string, inputs: Inputs): Promise<object> {
  const { version, date, targets, python, commit, tree, time, source, runtimes } = inputs;
  const files = Object.entries(await checksumsOf(folder));
  const nodes = [];
  for (const target of targets) {
    const digest = { sha256: await sha256(runtimeOf(target, runtimes)) };
    nodes.push({ name: `node ${process.versions.node} ${target}`, digest });
  }
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: files.map(([name, sum]) => ({ name, digest: { sha256: sum } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:gantry:npm-run-release:1',
        externalParameters: { version, date, targets },
        internalParameters: {
          SOURCE_DATE_EPOCH: time,
          node: process.versions.node,
          npm: versionOf('npm'),
          ...(python !== null && { python: versionOf(python) }),
          platform: `${process.platform}-${process.arch}`,
        },
        resolvedDependencies: [
          { name: 'the commit before the release', digest: { gitCommit: commit } },
          { name: 'the tree of the release', digest: { gitTree: tree } },
          {
            name: 'package-lock.json',
            digest: { sha256: await sha256(join(source, 'package-lock.json')) },
          },
          ...nodes,
        ],
      },
      runDetails: { builder: { id: 'urn:gantry:npm-run-release' } },
    },
  };
}

function versionOf(program: string): string {
  return execFileSync(program, ['--version'], { encoding: 'utf8' }).replace('Python', '').trim();
}
