import { expect } from 'vitest';
import { z } from 'zod';
import { post } from '../../support/http.ts';
import type { World } from '../../support/world.ts';
import { anyone, refused, refusedTo, serversOnly } from '../access.ts';
import type { LauncherCases } from '../operation-case.ts';

const notAGuest = refused(400, 'not_a_guest');
/** Only players without a wallet. */
const guestsOnly = refusedTo(notAGuest, { owner: notAGuest, guest: 'own' });

const signRequest = `<host> wants you to sign in with your Ethereum account:
<newcomer>

Keep the player <guest> of Orbit with this wallet.

URI: <url>/
Version: 1
Chain ID: 1
Nonce: <nonce>
Issued At: <time>
Expiration Time: <time>
Resources:
- urn:uuid:<id>`;

/** A player who never chose a name. */
const unnamed = (who: string, { isGuest }: { isGuest: boolean }) => ({
  wallet: `<${who}>`,
  userId: '<id>',
  username: expect.any(String),
  isNamed: false,
  avatar: `<url>/avatars/<${who}>.svg`,
  isGuest,
});

const listed = z.object({ devices: z.tuple([z.object({ deviceId: z.string() })]) });
const begun = z.object({ channelId: z.string(), signRequest: z.string() });

export const guestCases = {
  createGuest: {
    input: ({ gameId }) => ({ gameId, deviceName: 'Phone', username: 'Zoe' }),
    answer: {
      success: true,
      wallet: '<new guest>',
      deviceId: '<id>',
      deviceSecret: '<device secret>',
      launcherJwt: 'token(<new guest>, <game>)',
      jwt: 'token(<new guest>, <game>)',
      expiresAt: '<time>',
      player: {
        wallet: '<new guest>',
        userId: '<id>',
        username: 'Zoe',
        isNamed: true,
        avatar: '<url>/avatars/<new guest>.svg',
        isGuest: true,
      },
    },
    access: { ...anyone, otherGameServer: refused(401, 'secret_invalid') },
  },
  signInGuest: {
    input: ({ gameId, guestSecret }) => ({ gameId, deviceSecret: guestSecret }),
    answer: {
      success: true,
      wallet: '<guest>',
      launcherJwt: 'token(<guest>, <game>)',
      jwt: 'token(<guest>, <game>)',
      expiresAt: '<time>',
      player: unnamed('guest', { isGuest: true }),
    },
    // Anyone with the device's secret is the guest.
    access: { ...anyone, otherGameServer: refused(401, 'secret_invalid') },
  },
  requestGuestUpgrade: {
    input: ({ keys }) => ({ wallet: keys.newcomer.address }),
    caller: 'guest',
    answer: { success: true, channelId: '<id>', signRequest },
    access: guestsOnly,
  },
  upgradeGuest: {
    async input(world) {
      const { channelId, signRequest: message } = await beginUpgrade(world);
      return { channelId, signature: await world.keys.newcomer.signMessage({ message }) };
    },
    caller: 'guest',
    answer: {
      success: true,
      wallet: '<newcomer>',
      launcherJwt: 'token(<newcomer>, <game>)',
      jwt: 'token(<newcomer>, <game>)',
      expiresAt: '<time>',
      player: unnamed('newcomer', { isGuest: false }),
    },
    access: guestsOnly,
  },
  listGuestDevices: {
    input: () => ({}),
    caller: 'guest',
    answer: {
      success: true,
      devices: [{ deviceId: '<id>', name: 'Laptop', createdAt: '<time>', lastUsedAt: '<time>' }],
    },
    access: guestsOnly,
  },
  addGuestDevice: {
    input: () => ({ deviceName: 'Phone' }),
    caller: 'guest',
    answer: { success: true, deviceId: '<id>', deviceSecret: '<device secret>' },
    access: guestsOnly,
  },
  removeGuestDevice: {
    async input({ server, guest: { launcherJwt } }, by) {
      const { body } = await post(`${server.url}/launcher/list-guest-devices`, { launcherJwt });
      const [device] = listed.parse(body).devices;
      // The last one is not removed.
      if (by === 'guest') await post(`${server.url}/launcher/add-guest-device`, { launcherJwt });
      return { deviceId: device.deviceId };
    },
    caller: 'guest',
    answer: { success: true },
    access: guestsOnly,
  },
  vouchForPlayer: {
    input: () => ({ playerId: 'steam:76561198000000000', username: 'Zoe' }),
    caller: 'gameServer',
    answer: {
      success: true,
      wallet: '<new guest>',
      isNew: true,
      isGuest: true,
      launcherJwt: 'token(<new guest>, <game>)',
    },
    access: serversOnly,
  },
} satisfies Partial<LauncherCases>;

async function beginUpgrade({ server, guest, keys }: World) {
  const input = { launcherJwt: guest.launcherJwt, wallet: keys.newcomer.address };
  return begun.parse((await post(`${server.url}/launcher/request-guest-upgrade`, input)).body);
}
