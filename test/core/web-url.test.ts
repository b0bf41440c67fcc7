import { expect, test } from 'vitest';
import { isWebUrl, webUrl } from '../../src/core/schemas/web-url.ts';
import { allowedOrigin } from '../../src/features/games/allowed-origin.ts';
import { gameUrl } from '../../src/features/games/game.ts';
import { webhookUrl } from '../../src/features/webhooks/webhook.ts';

const deceptive = [
  'http://a"b/',
  'https://user:pw@host/',
  'https://user@host/',
  'https://@host/',
  'https://host/a b',
  'https://host/\tb',
  'https://host/a"onerror=1',
  'https://host/<b>',
  'https://host/\u202etxt',
  'https://host\\@evil.example/',
  'https:/host/',
  'https:host',
  'https:///host',
  'javascript:alert(1)',
  'ftp://host/',
];

test.each(deceptive)('%j is never stored as the URL of a game or a webhook, or as an origin', (text) => {
  for (const schema of [webUrl, gameUrl, webhookUrl, allowedOrigin]) {
    // Some schemas remove tabs, as browsers do, instead of refusing them.
    const parsed = schema.safeParse(text);
    expect(parsed.success && (parsed.data === text || !isWebUrl(parsed.data))).toBe(false);
  }
});

test.each([
  'https://game.example',
  'http://127.0.0.1:8080/play?level=1&mode=%22hard%22#start',
  'https://[::1]/',
  'https://höhle.example/übersicht',
  "https://game.example/it's/(1)/*!~$,;=@x",
])('%j is one, as it is written', (text) => {
  for (const schema of [webUrl, gameUrl]) expect(schema.parse(text)).toBe(text);
});

test('a path of this server is a URL for a game only without quotes and spaces', () => {
  expect(gameUrl.parse('/demo-game')).toBe('/demo-game');
  for (const path of ['//evil.example', '/a"b', '/a b', '/\\evil.example']) {
    expect(gameUrl.safeParse(path).success).toBe(false);
  }
});
