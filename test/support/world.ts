import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { newGuestAddress } from '../../src/core/schemas/fields.ts';
import type { Owner } from '../../src/core/schemas/owner.ts';
import { recordActivity } from '../../src/features/activities/commands.ts';
import { ban } from '../../src/features/administration/commands.ts';
import { addGuest } from '../../src/features/guests/commands.ts';
import { hashOfDeviceSecret, newDeviceSecret } from '../../src/features/guests/device.ts';
import { createChannel } from '../../src/features/messages/channel-commands.ts';
import { sendMessage } from '../../src/features/messages/message-commands.ts';
import { listChannelMessages, listChannels } from '../../src/features/messages/queries.ts';
import { trackPlaySession } from '../../src/features/play-sessions/commands.ts';
import { setProfile } from '../../src/features/players/commands.ts';
import { defaultBoardOf } from '../../src/features/scores/board-rows.ts';
import { setScore } from '../../src/features/scores/commands.ts';
import { readPlace } from '../../src/features/scores/leaderboard-queries.ts';
import { listScores } from '../../src/features/scores/queries.ts';
import { endSession, revokeSessionById } from '../../src/features/sessions/commands.ts';
import { findSession } from '../../src/features/sessions/queries.ts';
import { saveState } from '../../src/features/states/commands.ts';
import { listPlayerStates } from '../../src/features/states/queries.ts';
import { canonicalState, contentId } from '../../src/features/states/state.ts';
import { ed25519, makeJwt, readJwt } from './jwt-parts.ts';
import { type TestPlayer, type TestServer, testPlayer } from './server.ts';

/** The kinds of caller, relative to the player whose data an operation is about. */
export const roles = [
  'owner',
  /** In the owner's message channel. */
  'participant',
  /** In the owner's game, without any relation to the owner. */
  'stranger',
  /** A player without a wallet, in the owner's game and without any relation to the owner. */
  'guest',
  /** The owner's wallet in another game. */
  'elsewhere',
  /** The owner's session in a launcher. */
  'launcher',
  'strangersLauncher',
  /** A session of the owner in the game, ended by the owner. */
  'ended',
  /** A session ended by an administrator. */
  'revoked',
  /** A player with a token issued before they were banned from the game. */
  'banned',
  /** No token at all. */
  'anonymous',
  /** The owner's claims, signed with another key. */
  'forged',
  /** No launcher token, but the admin token in `Authorization`. */
  'administrator',
  /** The server of the owner's game on behalf of the owner: the game's secret in `Authorization`, and `wallet`. */
  'gameServer',
  /** The server of another game, also on behalf of the owner. */
  'otherGameServer',
] as const;
export type Role = (typeof roles)[number];

/** The owner's texts that nobody else may read, each unique. */
export const canaryNames = [
  'message',
  'state',
  'nonce',
  'channelId',
  'messageId',
  'sessionId',
  'playSessionId',
] as const;
export type CanaryName = (typeof canaryNames)[number];

/** Two players in a channel, a stranger, a launcher and another game, on a server that may contain other worlds. */
export interface World {
  server: TestServer;
  gameId: string;
  gameSlug: string;
  otherGameId: string;
  launcherGameId: string;
  gameSecret: string;
  otherGameSecret: string;
  owner: TestPlayer;
  participant: TestPlayer;
  stranger: TestPlayer;
  guest: TestPlayer;
  /** The secret that the guest's device signs in with. */
  guestSecret: string;
  elsewhere: TestPlayer;
  banned: TestPlayer;
  /** The keys of these players' wallets, and of one that belongs to no player. */
  keys: {
    owner: PrivateKeyAccount;
    stranger: PrivateKeyAccount;
    banned: PrivateKeyAccount;
    newcomer: PrivateKeyAccount;
  };
  /** The owner's channel with the participant, the message in it, and the owner's play session. */
  channelId: string;
  messageId: string;
  playSessionId: string;
  scoreId: string;
  canaries: Readonly<Record<CanaryName, string>>;
  /** What each role sends as `launcherJwt`. */
  tokens: Readonly<Record<Role, string | undefined>>;
}

/** Creates a world in separate games. */
export async function createWorld(server: TestServer): Promise<World> {
  const { db } = server.services;
  const keys = {
    owner: privateKeyToAccount(generatePrivateKey()),
    stranger: privateKeyToAccount(generatePrivateKey()),
    banned: privateKeyToAccount(generatePrivateKey()),
    newcomer: privateKeyToAccount(generatePrivateKey()),
  };
  const wallet = keys.owner.address.toLowerCase();
  const gameSlug = `orbit-${randomBytes(8).toString('hex')}`;
  const [
    { gameId, gameSecret },
    { gameId: otherGameId, gameSecret: otherGameSecret },
    { gameId: launcherGameId },
  ] = await Promise.all([
    server.createGame({ name: 'Orbit', slug: gameSlug }),
    server.createGame({ name: 'Rapids', url: 'https://rapids.example/play' }),
    server.createGame({ name: 'Launcher', kind: 'launcher' }),
  ]);
  const [owner, participant, stranger, elsewhere, launcher, strangersLauncher] = await Promise.all([
    server.openSession(gameId, wallet),
    server.openSession(gameId),
    server.openSession(gameId, keys.stranger.address.toLowerCase()),
    server.openSession(otherGameId, wallet),
    server.openSession(launcherGameId, wallet),
    server.openSession(launcherGameId, keys.stranger.address.toLowerCase()),
  ]);
  const guestSecret = newDeviceSecret();
  const guest = await openGuestSession(server, gameId, guestSecret);
  const [ended, revoked, banned] = await Promise.all([
    server.openSession(gameId, wallet),
    server.openSession(gameId, wallet),
    server.openSession(gameId, keys.banned.address.toLowerCase()),
  ]);
  const canaries = {
    message: canary('message'),
    state: canary('state'),
    nonce: canary('nonce'),
    sessionId: owner.sessionId,
    playSessionId: randomUUID(),
  };
  const { json: state } = canonicalState({ level: 3, hero: canaries.state });
  const [channel, score] = await Promise.all([
    db.write(createChannel, owner, [participant.wallet]),
    db.write(setScore, owner, 120, canaries.nonce),
    db.write(endSession, wallet, ended.sessionId),
    db.write(revokeSessionById, revoked.sessionId),
    db.write(ban, banned.wallet, gameId, 'cheating'),
    db.write(setProfile, wallet, { username: 'Ada' }),
    db.write(saveState, owner, 'save', state, contentId(state)),
    db.write(trackPlaySession, owner, { sessionId: canaries.playSessionId, state: '{"level":3}' }),
    db.write(recordActivity, owner, { label: '{username} found the key', eventId: 'key' }),
  ]);
  const message = await db.write(sendMessage, owner, channel._id, canaries.message);
  return {
    server,
    gameId,
    gameSlug,
    otherGameId,
    launcherGameId,
    gameSecret,
    otherGameSecret,
    owner,
    participant,
    stranger,
    guest,
    guestSecret,
    elsewhere,
    banned,
    keys,
    channelId: channel._id,
    messageId: message._id,
    playSessionId: canaries.playSessionId,
    scoreId: score._id,
    canaries: { ...canaries, channelId: channel._id, messageId: message._id },
    tokens: {
      owner: owner.launcherJwt,
      participant: participant.launcherJwt,
      stranger: stranger.launcherJwt,
      guest: guest.launcherJwt,
      elsewhere: elsewhere.launcherJwt,
      launcher: launcher.launcherJwt,
      strangersLauncher: strangersLauncher.launcherJwt,
      ended: ended.launcherJwt,
      revoked: revoked.launcherJwt,
      banned: banned.launcherJwt,
      anonymous: undefined,
      forged: signedWithAnotherKey(owner.launcherJwt),
      administrator: undefined,
      gameServer: undefined,
      otherGameServer: undefined,
    },
  };
}

/** A new player without a wallet, with a device of this secret. */
async function openGuestSession(server: TestServer, gameId: string, secret: string): Promise<TestPlayer> {
  const { db } = server.services;
  const wallet = newGuestAddress();
  const device = { secretHash: hashOfDeviceSecret(secret), name: 'Laptop' };
  const guest = { address: wallet, idleMs: 1e9 };
  const { details } = await db.write(addGuest, gameId, guest, device, server.config.sessionLifetimeMs);
  return testPlayer(details, server.services);
}

/** The headers of a role's calls. */
export function headersOf(world: World, role: Role): Record<string, string> | undefined {
  if (role === 'administrator') return bearer(world.server.adminToken);
  if (role === 'gameServer') return bearer(world.gameSecret);
  return role === 'otherGameServer' ? bearer(world.otherGameSecret) : undefined;
}

/** What a role's calls carry besides an operation's own input: a token, or the player that a game's server acts for. */
export function credentialFieldsOf({ tokens, owner }: World, role: Role): Record<string, unknown> {
  if (role === 'gameServer' || role === 'otherGameServer') return { wallet: owner.wallet };
  const launcherJwt = tokens[role];
  return launcherJwt === undefined ? {} : { launcherJwt };
}

export function bearer(token: string): { Authorization: string } {
  return { Authorization: `Bearer ${token}` };
}

/** All stored data of the owner, as text: unchanged when the text is. */
export async function ownersData({ server, owner, channelId }: World): Promise<string> {
  const { db } = server.services;
  const asOwner: Owner = owner;
  const all = { limit: 250, skip: 0 };
  return JSON.stringify(
    await Promise.all([
      db.read(listScores, asOwner, all),
      db
        .read(readPlace, defaultBoardOf(asOwner.gameId), asOwner.wallet)
        .then((position) => position !== null),
      db.read(listPlayerStates, asOwner, all),
      db.read(listChannels, asOwner, all).then(({ rows }) => rows.find((row) => row._id === channelId)),
      db.read(listChannelMessages, asOwner, channelId, all),
      db.read(findSession, owner.sessionId),
    ]),
  );
}

function canary(of: string): string {
  return `canary-${of}-${randomBytes(12).toString('hex')}`;
}

function signedWithAnotherKey(token: string): string {
  const { header, payload } = readJwt(token);
  return makeJwt(header, payload, ed25519(generateKeyPairSync('ed25519').privateKey));
}
