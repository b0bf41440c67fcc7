import { environment, settingsInFiles } from '../config.ts';
import { nearestName } from '../core/nearest-name.ts';

/** Shorter names resemble too many others. */
const leastLetters = 8;
const mostTypos = 2;

/**
 * A sentence for each name of an environment variable that is probably a misspelled setting. Variables of other programs,
 * such as `NODE_LOG_LEVEL`, may contain a setting's name as whole words.
 */
export function misspelledSettings(names: readonly string[]): string[] {
  const settings = [...Object.keys(environment.shape), ...settingsInFiles.map((name) => `${name}_FILE`)];
  return names.flatMap((name) => {
    if (settings.includes(name) || name.replaceAll('_', '').length < leastLetters) return [];
    const nearest = nearestName(name, settings, mostTypos);
    if (nearest === undefined || `_${name}_`.includes(`_${nearest}_`)) return [];
    return [`The environment variable ${name} is not a setting, and has no effect. Is ${nearest} meant?`];
  });
}
