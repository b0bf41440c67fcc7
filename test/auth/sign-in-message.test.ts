import * as Siwe from 'ox/Siwe';
import { expect, test } from 'vitest';
import { signInLifetimeMs, signInMessage } from '../../src/features/sessions/sign-in-message.ts';

const wallet = '0x4d78f8d53dd74e4e32744a6590449b375b75f7aa';
const channelId = '01a20769-f935-75e7-8dcd-9542995809af';
const now = Date.UTC(2026, 10, 23);

function messageAt(uri: string): string {
  return signInMessage({ wallet, gameName: 'Space Race', channelId, chainId: 10, uri, now });
}

test.each([
  'https://play.example/',
  'https://play.example/launcher',
  'http://localhost:3000/',
  'http://10.0.0.1:8080/',
])('the text to sign at %s matches that of an EIP-4361 library', (uri) => {
  const message = messageAt(uri);
  const nonce = /^Nonce: ([0-9a-f]{32})$/m.exec(message)?.[1] ?? '';
  const written = Siwe.createMessage({
    address: '0x4D78f8D53Dd74E4e32744a6590449B375B75F7Aa',
    chainId: 10,
    domain: new URL(uri).host,
    nonce,
    uri,
    version: '1',
    statement: 'Sign in to play Space Race.',
    issuedAt: new Date(now),
    expirationTime: new Date(now + signInLifetimeMs),
    resources: [`urn:uuid:${channelId}`],
  });
  expect(message).toBe(written);
});

test.each(['https://play.example', 'http://gantry:3000', 'http://[::1]:3000', 'https://a_b.example'])(
  'there is a text for %s, and its chain is parsed from it',
  (uri) => {
    const message = messageAt(uri);
    expect(message.split('\n')[0]).toBe(
      `${new URL(uri).host} wants you to sign in with your Ethereum account:`,
    );
    expect(message).toContain(`\nURI: ${uri}\n`);
    expect(Siwe.parseMessage(message).chainId).toBe(10);
  },
);
