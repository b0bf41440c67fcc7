import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ReleaseRefused } from './refused.ts';

/** A Git repository, by its folder. Only `release` changes its branch, its files and its tags. */
export class GitRepository {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** What differs from the last commit, files that are not tracked included; empty when nothing does. */
  changes(): string {
    return this.#git(['status', '--porcelain']);
  }

  head(): string {
    return this.#git(['rev-parse', 'HEAD']);
  }

  /** The time of the last commit, in seconds since 1970. */
  headTime(): number {
    return Number(this.#git(['show', '-s', '--format=%ct', 'HEAD']));
  }

  tags(): readonly string[] {
    return this.#git(['tag', '--list']).split('\n');
  }

  /** Stores the files of `folder`, without those that are ignored, as a tree. @returns its hash */
  treeOf(folder: string): string {
    return this.#withIndex(folder, (git) => {
      git(['add', '--all']);
      return git(['write-tree']);
    });
  }

  /** Writes the files of a tree into an existing folder. */
  write(tree: string, folder: string): void {
    this.#withIndex(folder, (git) => {
      git(['read-tree', tree]);
      git(['checkout-index', '--all']);
    });
  }

  /** Commits a tree on top of the last commit, and tags that with a message. @returns the commit */
  release(
    tree: string,
    { tag, subject, message }: { tag: string; subject: string; message: string },
  ): string {
    const commit = this.#git(['commit-tree', tree, '-p', 'HEAD', '-m', subject]);
    this.#git(['merge', '--quiet', '--ff-only', commit]);
    this.#git(['tag', '--annotate', '--cleanup=verbatim', '--message', message, tag, commit]);
    return commit;
  }

  /** Runs Git on the files of `folder` with an index of their own. */
  #withIndex<T>(folder: string, use: (git: (args: readonly string[]) => string) => T): T {
    const place = mkdtempSync(join(tmpdir(), 'gantry-index-'));
    const directory = this.#git(['rev-parse', '--absolute-git-dir']);
    const variables = [
      `GIT_DIR=${directory}`,
      `GIT_WORK_TREE=${folder}`,
      `GIT_INDEX_FILE=${join(place, 'index')}`,
    ];
    try {
      return use((args) => this.#git(args, folder, variables));
    } finally {
      rmSync(place, { recursive: true });
    }
  }

  #git(args: readonly string[], cwd = this.folder, variables: readonly string[] = []): string {
    try {
      return execFileSync('env', [...variables, 'git', ...args], {
        cwd,
        encoding: 'utf8',
        stdio: 'pipe',
      }).trim();
    } catch (error) {
      const { stderr = '' } = error as { stderr?: string };
      throw new ReleaseRefused(`git ${args[0]} failed: ${stderr.trim() || error}`);
    }
  }
}
