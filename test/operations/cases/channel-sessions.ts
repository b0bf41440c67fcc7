import { z } from 'zod';
import { post } from '../../support/http.ts';
import type { Role, World } from '../../support/world.ts';
import { anyone, ownThings, ownThingsOfPlayers, refused, refusedTo, serversOnly } from '../access.ts';
import type { InputOf, LauncherCases } from '../operation-case.ts';

const signRequest = `<host> wants you to sign in with your Ethereum account:
<owner>

Sign in to play Orbit.

URI: <url>/
Version: 1
Chain ID: 1
Nonce: <nonce>
Issued At: <time>
Expiration Time: <time>
Resources:
- urn:uuid:<id>`;

const notALauncher = refused(401, 'not_a_launcher');
const notSignedIn = refused(401, 'sign_in_required');
/** As the owner's own client shows the owner. */
const owner = {
  wallet: '<owner>',
  userId: "<owner's user id>",
  username: 'Ada',
  isNamed: true,
  avatar: '<url>/avatars/<owner>.svg',
  isGuest: false,
};
const notYourSignature = refused(401, 'wallet_signature_invalid');

export const channelSessionCases = {
  createUnverifiedChannel: {
    input: ({ gameId, owner }) => ({ gameId, wallet: owner.wallet }),
    answer: { success: true, channelId: '<id>', signRequest },
    access: { ...anyone, otherGameServer: refused(401, 'secret_invalid') },
  },
  verifyUnverifiedChannel: {
    async input(world, by) {
      const { wallet, key } = signerOf(world, by);
      const signIn = await beginSignIn(world.server.url, { gameId: world.gameId, wallet });
      return {
        channelId: signIn.channelId,
        signature: await key.signMessage({ message: signIn.signRequest }),
      };
    },
    answer: {
      success: true,
      launcherJwt: 'token(<owner>, <game>)',
      jwt: 'token(<owner>, <game>)',
      expiresAt: '<time>',
      player: owner,
    },
    access: {
      ...refusedTo(notYourSignature),
      elsewhere: 'own',
      launcher: 'own',
      ended: 'own',
      revoked: 'own',
      banned: refused(401, 'player_banned'),
      anonymous: notYourSignature,
      forged: notYourSignature,
      gameServer: notYourSignature,
      otherGameServer: refused(401, 'secret_invalid'),
    },
  },

  channelStatus: {
    input: () => ({}),
    answer: { exists: true, present: false, wallet: '<owner>', openedAt: '<time>' },
    // The token of an ended session may still query that it has ended.
    access: { ...ownThingsOfPlayers, ended: 'own', revoked: 'own', banned: 'own' },
  },
  getPlayer: {
    input: () => ({}),
    answer: {
      success: true,
      player: owner,
      session: {
        sessionId: "<owner's session>",
        gameId: '<game>',
        openedAt: '<time>',
        openedBy: 'administrator',
        expiresAt: '<time>',
      },
    },
    access: ownThingsOfPlayers,
  },
  renewChannelSession: {
    input: () => ({}),
    caller: 'guest',
    answer: {
      success: true,
      launcherJwt: 'token(<guest>, <game>)',
      jwt: 'token(<guest>, <game>)',
      expiresAt: '<time>',
    },
    // No wallet or device has opened the sessions of the others.
    access: refusedTo(notSignedIn, { owner: notSignedIn, guest: 'own' }),
  },
  channelHeartbeat: { input: () => ({}), answer: { success: true }, access: ownThingsOfPlayers },
  openChannelSession: {
    input: ({ otherGameId }) => ({ gameId: otherGameId }),
    caller: 'launcher',
    answer: {
      success: true,
      launcherJwt: 'token(<owner>, <other game>)',
      url: 'https://rapids.example/play?token=token(<owner>, <other game>)',
    },
    // A game's server opens sessions in its own game only.
    access: refusedTo(notALauncher, {
      owner: notALauncher,
      launcher: 'own',
      strangersLauncher: 'own',
      gameServer: refused(401, 'secret_invalid'),
      otherGameServer: 'own',
    }),
  },
  listChannelSessions: {
    input: () => ({}),
    answer: {
      success: true,
      sessions: [
        {
          sessionId: "<owner's session>",
          gameId: '<game>',
          gameName: 'Orbit',
          openedAt: '<time>',
          openedBy: 'administrator',
          expiresAt: '<time>',
          present: false,
        },
      ],
    },
    access: { ...ownThings, launcher: 'shared' },
  },
  revokeChannelSession: {
    input: ({ owner }) => ({ wallet: owner.wallet }),
    caller: 'gameServer',
    answer: { success: true, ended: 1 },
    // No launcher token opens this, whoever's it is.
    access: serversOnly,
  },
  getPlayerPresence: {
    input: ({ owner, stranger }) => ({ wallets: [owner.wallet, stranger.wallet] }),
    caller: 'gameServer',
    answer: {
      success: true,
      players: [
        { wallet: '<owner>', present: false, sessions: 1 },
        { wallet: '<stranger>', present: false, sessions: 1 },
      ],
    },
    access: serversOnly,
  },
  endChannelSession: {
    input: ({ owner }) => ({ sessionId: owner.sessionId }),
    answer: { success: true },
    access: refusedTo(notALauncher, {
      launcher: 'shared',
      strangersLauncher: refused(401, 'session_unknown'),
    }),
  },
} satisfies Partial<LauncherCases>;

/**
 * Whose sign-in it is, and who signs: those with the owner's wallet sign with it, others with the stranger's. The
 * banned player signs a sign-in of their own, as expected.
 */
function signerOf({ owner, banned, keys }: World, by: Role) {
  if (by === 'banned') return { wallet: banned.wallet, key: keys.banned };
  const hasTheWallet = ['owner', 'elsewhere', 'launcher', 'ended', 'revoked'].includes(by);
  return { wallet: owner.wallet, key: hasTheWallet ? keys.owner : keys.stranger };
}

const begunSignIn = z.object({ channelId: z.string(), signRequest: z.string() });

async function beginSignIn(url: string, input: InputOf<'createUnverifiedChannel'>) {
  return begunSignIn.parse((await post(`${url}/launcher/create-unverified-channel`, input)).body);
}
