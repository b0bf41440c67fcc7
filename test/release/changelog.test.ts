import { expect, test } from 'vitest';
import { cutChangelog, extendUnityChangelog } from '../../src/tools/release/changelog.ts';

const changelog = `# Changelog

What changed.

## [Unreleased]

### For games

- [Drafts](public/docs/drafts.md) of levels.

### For operators

- Backups are smaller.

### Fixed

- A level could have no end.

## 1.1.0 – 2026-01-02

### For games

- Levels.
`;

test('what is unreleased becomes the release, and its sections for readers the notes', () => {
  const { changelog: cut, notes, problem } = cutChangelog(changelog, '1.2.0', '2026-03-04');
  expect(notes).toBe(
    '### For games\n\n- [Drafts](public/docs/drafts.md) of levels.\n\n### For operators\n\n- Backups are smaller.',
  );
  expect(cut).toBe(changelog.replace('## [Unreleased]\n', '## [Unreleased]\n\n## 1.2.0 – 2026-03-04\n'));
  expect(problem).toBe(null);
  expect(cutChangelog(cut, '1.3.0', '2026-05-06').problem).toContain('nothing below ## [Unreleased]');
});

test.each([
  ['no such heading', changelog.replace('[Unreleased]', 'Next'), 'has no ## [Unreleased]'],
  ['no section for a reader', changelog.replaceAll('### For', '### About'), 'no section for readers'],
  [
    'notes that nobody would read',
    changelog.replace('- Backups', `${'- More.\n'.repeat(60)}- Backups`),
    'have 67 lines: shorten them to 60',
  ],
])('a changelog with %s has no notes to publish', (_, text, problem) => {
  expect(cutChangelog(text, '1.2.0', '2026-03-04').problem).toContain(problem);
});

test("the Unity package's changelog has what changes for games, without links into the repository", () => {
  const ofPackage = '# Changelog\n\n## [1.1.0]\n\n- Levels.\n';
  const release = { version: '1.2.0', date: '2026-03-04' };
  const { notes } = cutChangelog(changelog, release.version, release.date);
  expect(extendUnityChangelog(ofPackage, { ...release, notes })).toBe(
    '# Changelog\n\n## [1.2.0] - 2026-03-04\n\n- Drafts of levels.\n\n## [1.1.0]\n\n- Levels.\n',
  );
  const [, forOperators = ''] = /(### For operators.*)/s.exec(notes) ?? [];
  expect(extendUnityChangelog(ofPackage, { ...release, notes: forOperators })).toContain(
    '- Nothing changes for games.',
  );
});
