const levels = ['ok', 'warning', 'error'] as const;
export type Level = (typeof levels)[number];

/** The result of one check. `remedy` says what to do, unless the level is `ok`. */
export type Finding =
  | { check: string; level: 'ok'; message: string }
  | { check: string; level: 'warning' | 'error'; message: string; remedy: string };

export const ok = (check: string, message: string): Finding => ({ check, level: 'ok', message });

export const warning = (check: string, message: string, remedy: string): Finding => ({
  check,
  level: 'warning',
  message,
  remedy,
});

export const error = (check: string, message: string, remedy: string): Finding => ({
  check,
  level: 'error',
  message,
  remedy,
});

/** The findings of checks that report only problems: what is false or null is left out. */
export function found(...findings: readonly (Finding | readonly Finding[] | false | null)[]): Finding[] {
  return findings.flat().filter((finding) => finding !== null && finding !== false);
}
