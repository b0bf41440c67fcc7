import { createHash } from 'node:crypto';

export const demoSlug = 'demo-game';
/** Where the demo game is played: a page of this server's. */
export const demoPage = '/demo-game';
export const launcherSlug = 'launcher';

/** The players a newcomer finds; the first one is whom the printed token is for. */
export const demoPlayers = [
  { username: 'Ada', score: 1180 },
  { username: 'Grace', score: 1540 },
  { username: 'Linus', score: 960 },
  { username: 'Margaret', score: 2020 },
  { username: 'Dennis', score: 730 },
].map((player) => ({ ...player, wallet: walletNamed(player.username) }));

/** An address nobody has the key of. */
function walletNamed(name: string): string {
  return `0x${createHash('sha256').update(`gantry demo ${name}`).digest('hex').slice(0, 40)}`;
}
