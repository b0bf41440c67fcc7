import { createHash } from 'node:crypto';

export const demoSlug = 'demo-game';
/** The path of the demo game on this server. */
export const demoPage = '/demo-game';
export const launcherSlug = 'launcher';

/** The demo players; the printed token is for the first one. */
export const demoPlayers = [
  { username: 'Ada', score: 1180 },
  { username: 'Grace', score: 1540 },
  { username: 'Linus', score: 960 },
  { username: 'Margaret', score: 2020 },
  { username: 'Dennis', score: 730 },
].map((player) => ({ ...player, wallet: walletNamed(player.username) }));

/** An address without a known private key. */
function walletNamed(name: string): string {
  return `0x${createHash('sha256').update(`gantry demo ${name}`).digest('hex').slice(0, 40)}`;
}
