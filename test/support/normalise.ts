import { defaultName, shortAddress } from '../../src/core/schemas/default-name.ts';
import { readJwt } from './jwt-parts.ts';
import type { World } from './world.ts';

/** Further from now than any time in a test's responses, in milliseconds. */
const nearMs = 3 * 24 * 60 * 60 * 1000;

/**
 * A response in which everything that differs between runs is replaced by a name in angle brackets: `<game>`,
 * `<owner>`; unnamed ids become `<id>`, times near now `<time>`, tokens `token(<owner>, <game>)`. The rest must be the
 * same wherever the response came from.
 */
export function normalised(answer: unknown, world: World): unknown {
  if (typeof answer === 'string') return normalisedText(answer, world);
  if (typeof answer === 'number') return isNearNow(answer) ? '<time>' : answer;
  if (Array.isArray(answer)) return answer.map((item) => normalised(item, world));
  if (typeof answer !== 'object' || answer === null) return answer;
  return Object.fromEntries(Object.entries(answer).map(([key, value]) => [key, normalised(value, world)]));
}

function normalisedText(text: string, world: World): string {
  let normal = text.replace(/eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+/g, (token) => {
    const { address, gameId } = readJwt(token).payload;
    return `token(${address}, ${gameId})`;
  });
  for (const [value, name] of namesOf(world))
    normal = normal.replaceAll(new RegExp(value, 'gi'), `<${name}>`);
  return normal
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time>')
    .replace(/\bbafk[a-z2-7]{55}\b/g, '<cid>')
    .replace(/\bwhsec_[\w+/]{43}=/g, '<webhook secret>')
    .replace(/\bgadm_[\w-]{43}/g, '<administrator token>')
    .replace(/\bgsk_[\w-]{43}/g, '<secret>')
    .replace(/\bgd_[\w-]{43}/g, '<device secret>')
    .replace(/0x6775657374[0-9a-f]{30}/g, '<new guest>')
    .replace(/^[0-9a-f]{12}$/, '<fingerprint>')
    .replace(/^[0-9a-f]{16}$/, '<epoch>')
    .replace(/^\d+-[\w-]{16}$/, '<etag>')
    .replace(/(?<=^Nonce: )[0-9a-f]{32}$/gm, '<nonce>');
}

/** The server's address comes before its host, which is part of it. */
function namesOf(world: World): [string, string][] {
  const { server, owner, participant, stranger, guest, banned, keys, canaries } = world;
  return [
    [server.url, 'url'],
    [new URL(server.url).host, 'host'],
    [world.gameId, 'game'],
    [world.gameSlug, 'slug'],
    [world.otherGameId, 'other game'],
    [world.launcherGameId, 'launcher game'],
    [owner.wallet, 'owner'],
    [owner.userId, "owner's user id"],
    [participant.wallet, 'participant'],
    [shortAddress(participant.wallet), 'short participant'],
    [stranger.wallet, 'stranger'],
    [banned.wallet, 'banned'],
    [guest.wallet, 'guest'],
    [defaultName(guest.wallet), "guest's name"],
    [keys.newcomer.address, 'newcomer'],
    [world.scoreId, 'score'],
    [canaries.sessionId, "owner's session"],
    [canaries.playSessionId, 'play session'],
    [canaries.channelId, 'channel'],
    [canaries.messageId, 'message id'],
    [canaries.message, 'message'],
    [canaries.state, 'state'],
    [canaries.nonce, 'nonce'],
  ];
}

function isNearNow(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value - Date.now()) < nearMs;
}
