import { invalidField } from '../../core/errors.ts';
import { isGuestAddress } from '../../core/schemas/fields.ts';
import { balanceKey } from '../../core/schemas/token-condition.ts';
import { withTimeout } from '../../runtime/timeouts.ts';
import type { ChainClients } from '../chains/chain-client.ts';
import { requireContract, tokenBalance } from '../chains/token-balances.ts';
import { type AccessRule, holds, tokensOf } from '../games/access.ts';
import type { Game } from '../games/game.ts';
import { accessDenied, accessKeyOf, accessUnknown, refuseGuest } from './checked-access.ts';

/** How long a player who was let in is let in again without reading the chains: repeated launches, renewals. */
const rememberedMs = 60_000;
const maxRemembered = 10_000;
/** How long a caller waits for chains. */
const timeoutMs = 8_000;
/** An address that owns nothing, to try out a contract with: ERC-721 refuses the address 0. */
const probeAddress = `0x${'0'.repeat(39)}1`;

/** Checks on chains that a player owns what a game's policy `access` requires. */
export class GameAccess {
  readonly #clients: ChainClients;
  readonly #timeoutMs: number;
  /** Until when players are let in, by game and wallet; the oldest first. */
  readonly #remembered = new Map<string, { accessKey: string; until: number }>();
  /** Checks under way, so that a player's repeated calls read the chains once. */
  readonly #checks = new Map<string, Promise<void>>();

  constructor(clients: ChainClients, timeout = timeoutMs) {
    this.#clients = clients;
    this.#timeoutMs = timeout;
  }

  /**
   * What to pass to the command that opens the session: the policy that the player was checked against; null: the game
   * requires nothing. `now`: Unix milliseconds.
   * @throws GantryError `access_denied`, and `access_unknown` when the chains do not tell
   */
  async check(game: Game, wallet: string, now: number): Promise<string | null> {
    const { access } = game.policies;
    const accessKey = accessKeyOf(game);
    if (access === null || accessKey === null) return null;
    if (isGuestAddress(wallet)) refuseGuest(game, access);
    const player = `${game.id} ${wallet}`;
    const remembered = this.#remembered.get(player);
    if (remembered?.accessKey === accessKey && remembered.until > now) return accessKey;
    const id = `${player} ${accessKey}`;
    let check = this.#checks.get(id);
    if (!check) {
      check = this.#read(game, access, wallet).finally(() => this.#checks.delete(id));
      this.#checks.set(id, check);
    }
    await check;
    this.#remember(player, { accessKey, until: now + rememberedMs });
    return accessKey;
  }

  /**
   * Checks a policy that is about to be set: the chains are configured, and each contract answers for its standard.
   * @throws GantryError `input_invalid`
   */
  async validate(access: AccessRule | null | undefined): Promise<void> {
    if (!access) return;
    for (const { token, path } of tokensOf(access, 'policies.access')) {
      const { chainId = 0, contract = '', standard } = token;
      await requireContract(this.#clients, { chainId, contract }, path, 'input_invalid');
      await tokenBalance(this.#clients, token, probeAddress).catch(() => {
        throw invalidField(`${path}.contract`, `does not answer balanceOf as ${standard} does`);
      });
    }
  }

  /** Reads the balances, until they decide. */
  async #read(game: Game, access: AccessRule, wallet: string): Promise<void> {
    const tokens = new Map(tokensOf(access).map(({ token }) => [balanceKey(token), token]));
    const balances = new Map<string, bigint>();
    let cause: unknown;
    const decided = new Promise<void>((resolve) => {
      let left = tokens.size;
      for (const [key, token] of tokens) {
        tokenBalance(this.#clients, token, wallet)
          .then((balance) => balances.set(key, balance))
          .catch((error: unknown) => {
            cause = error;
          })
          .finally(() => {
            if (--left === 0 || holds(access, balances)) resolve();
          });
      }
    });
    await withTimeout(this.#timeoutMs, decided);
    const isHeld = holds(access, balances);
    if (isHeld) return;
    throw isHeld === null ? accessUnknown(game, cause) : accessDenied(game, access, balances);
  }

  #remember(player: string, entry: { accessKey: string; until: number }): void {
    this.#remembered.delete(player);
    this.#remembered.set(player, entry);
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size > maxRemembered && oldest !== undefined) this.#remembered.delete(oldest);
  }
}
