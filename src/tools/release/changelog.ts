const unreleased = '## [Unreleased]';
/** The sections that become the notes of a release, one for each reader. */
const readers = ['For players', 'For games', 'For operators'];
/** Longer notes are not read. */
const longestNotes = 60;

/** The changelog with a release cut from it, and its sections for readers. */
export interface CutChangelog {
  changelog: string;
  notes: string;
  /** Why these are no notes to publish; null when they are. */
  problem: string | null;
}

/** Makes what is unreleased a release: its sections stay as they are, below the version and its date. */
export function cutChangelog(changelog: string, version: string, date: string): CutChangelog {
  const [before, rest] = changelog.split(`\n${unreleased}\n`);
  if (before === undefined || rest === undefined) {
    return { changelog, notes: '', problem: `CHANGELOG.md has no ${unreleased}` };
  }
  const [changes = '', ...released] = rest.split(/^(?=## )/m);
  const notes = changes
    .split(/^(?=### )/m)
    .filter((section) => readers.some((reader) => section.startsWith(`### ${reader}\n`)))
    .join('')
    .trim();
  const release = `## ${version} – ${date}\n\n${changes.trim()}\n\n${released.join('')}`.trimEnd();
  return {
    changelog: `${before}\n${unreleased}\n\n${release}\n`,
    notes,
    problem: problemOf(changes, notes),
  };
}

function problemOf(changes: string, notes: string): string | null {
  const lines = notes.split('\n').length;
  if (changes.trim() === '') return `CHANGELOG.md has nothing below ${unreleased}`;
  if (notes === '') {
    return `CHANGELOG.md has no section for readers below ${unreleased}: ### ${readers.join(', ### ')}`;
  }
  return lines <= longestNotes
    ? null
    : `The sections for readers in CHANGELOG.md have ${lines} lines: shorten them to ${longestNotes}, the others have the details`;
}

/** The changelog of the Unity package, with what a release changes for games. */
export function extendUnityChangelog(
  changelog: string,
  { version, date, notes }: { version: string; date: string; notes: string },
): string {
  const [, forGames = '- Nothing changes for games.'] =
    /^### For games\n(.*?)(?=^### |$(?![\s\S]))/ms.exec(notes) ?? [];
  return changelog.replace(
    /^(?=## \[)/m,
    () => `## [${version}] - ${date}\n\n${withoutLinks(forGames).trim()}\n\n`,
  );
}

/** Relative links work in the repository and the manual only. */
export function withoutLinks(markdown: string): string {
  return markdown.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1');
}
