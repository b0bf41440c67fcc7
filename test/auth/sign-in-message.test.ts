import { ParsedMessage } from '@spruceid/siwe-parser';
import fc from 'fast-check';
import * as Siwe from 'ox/Siwe';
import { expect, test } from 'vitest';
import { signInLifetimeMs, signInMessage } from '../../src/features/sessions/sign-in-message.ts';

const wallet = '0x4d78f8d53dd74e4e32744a6590449b375b75f7aa';
const channelId = '01a20769-f935-75e7-8dcd-9542995809af';
const now = Date.UTC(2026, 10, 23);

function messageAt(uri: string, gameName = 'Space Race', guest?: string): Promise<string> {
  return signInMessage({ wallet, gameName, channelId, chainId: 10, uri, now, ...(guest && { guest }) });
}

test.each([
  'https://play.example/',
  'https://play.example/launcher',
  'http://localhost:3000/',
  'http://10.0.0.1:8080/',
])('the text to sign at %s matches that of an EIP-4361 library', async (uri) => {
  const message = await messageAt(uri);
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
  async (uri) => {
    const message = await messageAt(uri);
    expect(message.split('\n')[0]).toBe(
      `${new URL(uri).host} wants you to sign in with your Ethereum account:`,
    );
    expect(message).toContain(`\nURI: ${uri}/\n`);
    expect(Siwe.parseMessage(message).chainId).toBe(10);
  },
);

const guest = `0x6775657374${'0'.repeat(30)}`;

/** The statement and the URI, as the parser of the EIP's authors reads them; it throws outside of the ABNF. */
async function parsedOf(gameName: string, uri = 'https://play.example') {
  const { statement, uri: parsedUri, resources } = new ParsedMessage(await messageAt(uri, gameName));
  expect(resources).toEqual([`urn:uuid:${channelId}`]);
  return { statement, uri: parsedUri };
}

test.each([
  ['Space Race', 'Space Race'],
  ['100% Orange', '100 Orange'],
  ['Rock\'n\'Roll: The "Game" [2]', "Rock'n'Roll: The 'Game' [2]"],
  ['Left\\Right | {Up} <Down> `Fire` ^', "Left/Right / (Up) (Down) 'Fire'"],
  ['Søren’s “Łódź”', "Soren's 'Lodz'"],
  ['Straße', 'Strasse'],
  ['Игра', 'Igra'],
  ['原神', 'YuanShen'],
  ['한국 게임', 'HanGug GeIm'],
  ['لعبة', "l'bh"],
  ['🎮 Arcade 👩‍🚀', 'Arcade'],
  ['🎮', 'this game'],
  ['%', 'this game'],
  ['a\r\nURI: https://evil.example', 'aURI: https://evil.example'],
])('the statement for a game called %j is within the grammar of EIP-4361: %s', async (name, written) => {
  expect((await parsedOf(name)).statement).toBe(`Sign in to play ${written}.`);
  const { statement } = new ParsedMessage(await messageAt('https://play.example', name, guest));
  expect(statement).toBe(`Keep the player ${guest} of ${written} with this wallet.`);
});

test('the text for every game name is within the grammar of EIP-4361', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 100 }), async (name) => {
      expect((await parsedOf(name)).statement).toMatch(/^Sign in to play .+\.$/);
    }),
    { numRuns: 300 },
  );
});

test.each([
  ['http://gantry:3000', 'http://gantry:3000/'],
  ['http://[::1]:3000', 'http://[::1]:3000/'],
  ['https://a_b.example', 'https://a_b.example/'],
  ['https://müller.example/spiele/ü', 'https://xn--mller-kva.example/spiele/%C3%BC'],
])('the URI of %s is within the grammar of EIP-4361', async (uri, written) => {
  expect((await parsedOf('Space Race', uri)).uri).toBe(written);
});
