import { expect, test } from 'vitest';
import { attackEach, attackNames, mostGrownBytes, mostLoggedBytes } from './hostile-callers.ts';

/** Small: `node test/trust/hostile-callers.ts` measures how long others wait, on a quiet machine. */
const size = { seconds: 0.5, secondsBefore: 0.01, connections: 120 };

test('a caller with one token or none cannot deprive others of memory or responses, or fill the log', {
  timeout: 1_200_000,
}, async () => {
  const attacked = await attackEach(size, 8);
  process.stdout.write(`hostile callers: ${JSON.stringify(attacked)}\n`);
  expect(attacked.map(({ attack }) => attack)).toEqual(attackNames);
  for (const { attack, failed, lost, grownBytes, loggedBytes, answers } of attacked) {
    expect({ attack, failed, lost }).toEqual({ attack, failed: 0, lost: 0 });
    expect(grownBytes, attack).toBeLessThanOrEqual(mostGrownBytes);
    expect(loggedBytes, attack).toBeLessThanOrEqual(mostLoggedBytes(attack));
    expect(answers['500'], attack).toBeUndefined();
  }
  const answersTo = (name: string) =>
    Object.keys(attacked.find(({ attack }) => attack === name)?.answers ?? {});
  expect(answersTo('a few bytes that unpack to megabytes')).toEqual(['413']);
  expect(answersTo('the same for administrators, without a token')).toEqual(['401']);
  expect(answersTo('calls to administrators without a token')).toEqual(['401']);
  expect(answersTo('sessions opened without end, each writing')).toContain('429');
  for (const answer of answersTo('handshakes with very many cursors'))
    expect(['400', '429']).toContain(answer);
  expect(answersTo('places of a hundred players each, without a token')).toEqual(['200', '429']);
  expect(answersTo('notifications to a hundred new players each, with the secret of a game')).toContain(
    '200',
  );
  expect(answersTo('bursts of the most expensive reads of a player')).toEqual(['200', '429']);
  for (const answer of answersTo('wrong device secrets from a thousand addresses'))
    expect(['401', '429']).toContain(answer);
  expect(answersTo('channels with a stranger, without end')).toContain('200');
  expect(answersTo('states of very many parts, over a socket')).toContain('200');
});
