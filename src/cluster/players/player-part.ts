/** The status that a player chose; `invisible` shows as offline. */
export type ChosenStatus = 'online' | 'away' | 'busy' | 'invisible';

/** A status and when it was chosen, by the database's clock; 0: never. */
export interface StatusChoice {
  readonly status: ChosenStatus;
  /** Empty when there is none. */
  readonly text: string;
  readonly statusAt: number;
}

/** A status to set; `ageMs`: how long ago the player chose it, by the player's device. A later choice stays. */
export type NewStatus = Pick<StatusChoice, 'status' | 'text'> & { readonly ageMs?: number | undefined };

/** A game that a player has open. */
export interface OpenGame {
  readonly id: string;
  readonly name: string;
  /** Orders the games of a player: the latest is shown. */
  readonly at: number;
}

/** What a game says about a player in it. */
export interface RichPresence {
  /** Empty when there is none. */
  readonly details: string;
  readonly values: Readonly<Record<string, string>>;
  readonly group: { readonly id: string; readonly size: number; readonly max: number } | null;
  /** How to join the player: given only to friends who join. Empty when nobody can. */
  readonly connect: string;
}

export interface Playing {
  readonly game: OpenGame | null;
  /** Of that game. */
  readonly rich: RichPresence | null;
}

/** What one node knows of a player who is connected to it. Never changed, only replaced. */
export interface PlayerPart extends StatusChoice, Playing {
  /** When the player came online, by the database's clock. */
  readonly since: number;
  /** The player's privacy settings hide all of it, or the game. It is counted all the same. */
  readonly isHidden: boolean;
  readonly isGameHidden: boolean;
}

/** What others may see of a player who is not offline to them. */
export interface VisiblePlayer extends Playing {
  readonly status: Exclude<ChosenStatus, 'invisible'>;
  readonly text: string;
  /** Since when the player has had this status. */
  readonly since: number;
}

export const neverChosen: StatusChoice = { status: 'online', text: '', statusAt: 0 };

/** The latest choice. */
export function latestChoice(choices: Iterable<StatusChoice>): StatusChoice {
  let latest = neverChosen;
  for (const choice of choices) if (choice.statusAt > latest.statusAt) latest = choice;
  return latest;
}

/** The game opened last, with what a socket of that game says. */
export function latestGame(all: Iterable<Playing>): Playing {
  let game: OpenGame | null = null;
  let rich: Playing | null = null;
  for (const one of all) if (one.game && (!game || isLater(one.game, game))) game = one.game;
  if (!game) return { game, rich: null };
  for (const one of all) {
    if (one.rich && one.game?.id === game.id && (!rich?.game || one.game.at > rich.game.at)) rich = one;
  }
  return { game, rich: rich?.rich ?? null };
}

/** Games opened in the same millisecond, on two nodes, have an order too, so that all nodes agree. */
function isLater(one: OpenGame, other: OpenGame): boolean {
  return one.at === other.at ? one.id > other.id : one.at > other.at;
}

/** What others see of a player, from the parts of all nodes; null: offline. */
export function visiblePlayer(parts: readonly PlayerPart[]): VisiblePlayer | null {
  if (parts.length === 0 || parts.some(({ isHidden }) => isHidden)) return null;
  const { status, text, statusAt } = latestChoice(parts);
  if (status === 'invisible') return null;
  const playing = parts.some(({ isGameHidden }) => isGameHidden)
    ? { game: null, rich: null }
    : latestGame(parts);
  return { status, text, since: Math.max(onlineSince(parts), statusAt), ...playing };
}

export function onlineSince(parts: readonly PlayerPart[]): number {
  return Math.min(...parts.map(({ since }) => since));
}
