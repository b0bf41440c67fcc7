import { parseAbi } from 'abitype';
import type { Address, PublicClient } from 'viem';
import type { ChainClients } from '../chains/chain-client.ts';
import { asHex, isOutOfReach } from '../chains/rpc-errors.ts';
import type { Signers } from '../chains/signers.ts';
import { isGuestAddress } from '../core/schemas/guest-address.ts';
import { GantryError } from '../errors.ts';
import { balanceKey } from './balance-key.ts';
import { type Action, isChainAction, type Rule, type TokenCondition } from './rule.ts';
import type { ChainFacts } from './trigger.ts';

const tokens = parseAbi([
  'function balanceOf(address owner) view returns (uint256)',
  'function decimals() view returns (uint8)',
]);
const multiToken = parseAbi(['function balanceOf(address owner, uint256 id) view returns (uint256)']);

/** What rules ask of chains: whether a rule can work at all, and what a player owns. */
export class RuleChains {
  readonly #clients: ChainClients;
  readonly #signers: Signers;

  constructor(clients: ChainClients, signers: Signers) {
    this.#clients = clients;
    this.#signers = signers;
  }

  /**
   * The rules as they are to be stored: with the decimals of their tokens.
   * @throws GantryError `rule_invalid` naming what no server or contract answers for
   */
  async checked(rules: readonly Rule[]): Promise<Rule[]> {
    return Promise.all(
      rules.map(async (rule, at) => ({
        ...rule,
        actions: await Promise.all(
          rule.actions.map((action, index) => this.#checkedAction(action, `rules.${at}.actions.${index}`)),
        ),
      })),
    );
  }

  /**
   * What the conditions of these rules on this trigger want to know of chains.
   * @throws GantryError `chain_unavailable` when a chain cannot be asked: the trigger can be sent again
   */
  async factsFor(rules: readonly Rule[], trigger: string, wallet: string): Promise<ChainFacts> {
    const wanted = new Map<string, TokenCondition>();
    for (const { actions } of rules.filter((rule) => rule.trigger === trigger)) {
      for (const condition of actions.flatMap((action) => action.conditions ?? [])) {
        if (condition.type !== 'user-owns-tokens' || condition.contract === undefined) continue;
        wanted.set(balanceKey(condition), condition);
      }
    }
    const balances = await Promise.all(
      [...wanted].map(async ([key, condition]) => [key, await this.#balance(condition, wallet)] as const),
    );
    return { signers: this.#signers.addresses(), balances: Object.fromEntries(balances) };
  }

  async #balance(condition: TokenCondition, wallet: string): Promise<string> {
    if (isGuestAddress(wallet)) return '0'; // nobody can own what lies there
    const { chainId = 0, contract = '', tokenId } = condition;
    try {
      const client = await this.#clients.get(chainId);
      const address = asHex(contract);
      const owner = asHex(wallet);
      const balance =
        tokenId === undefined
          ? await client.readContract({ address, abi: tokens, functionName: 'balanceOf', args: [owner] })
          : await client.readContract({
              address,
              abi: multiToken,
              functionName: 'balanceOf',
              args: [owner, BigInt(tokenId)],
            });
      return String(balance);
    } catch (error) {
      throw new GantryError(
        'chain_unavailable',
        `What the player owns on chain ${chainId} cannot be found out right now; try again later`,
        { cause: error },
      );
    }
  }

  async #checkedAction(action: Action, path: string): Promise<Action> {
    for (const [index, condition] of (action.conditions ?? []).entries()) {
      if (condition.type !== 'user-owns-tokens' || condition.contract === undefined) continue;
      await this.#checkedContract(condition.chainId ?? 0, condition.contract, `${path}.conditions.${index}`);
    }
    if (!isChainAction(action)) return action;
    if (!Object.hasOwn(this.#signers.addresses(), action.signer)) {
      throw refused(`${path}.signer`, `this server has no signer called ${action.signer} (SIGNERS)`);
    }
    const client = await this.#checkedContract(action.chainId, action.contract, path);
    if (action.type !== 'IssueToken') return action;
    const decimals = await client
      .readContract({ address: asHex(action.contract), abi: tokens, functionName: 'decimals' })
      .catch((error: unknown) => {
        if (isOutOfReach(error)) throw refused(`${path}.chainId`, 'no RPC server of the chain answers');
        return undefined; // decimals() is optional in ERC-20
      });
    const stated = action.decimals ?? decimals;
    if (stated === undefined) {
      throw refused(`${path}.decimals`, 'the contract does not tell its decimals: give them');
    }
    if (decimals !== undefined && decimals !== stated) {
      throw refused(`${path}.decimals`, `the contract says that it has ${decimals}`);
    }
    return { ...action, decimals: stated };
  }

  async #checkedContract(chainId: number, contract: string, path: string): Promise<PublicClient> {
    if (!this.#clients.chainIds.includes(chainId)) {
      const known = this.#clients.chainIds.join(', ') || 'none';
      throw refused(`${path}.chainId`, `CHAINS names no RPC server for chain ${chainId} (it has: ${known})`);
    }
    let code: Address | undefined;
    let client: PublicClient;
    try {
      client = await this.#clients.get(chainId);
      code = await client.getCode({ address: asHex(contract) });
    } catch (error) {
      const why = isOutOfReach(error) ? 'no RPC server of the chain answers' : inWords(error);
      throw refused(`${path}.chainId`, why);
    }
    if (code === undefined)
      throw refused(`${path}.contract`, `there is no contract at ${contract} on chain ${chainId}`);
    return client;
  }
}

function inWords(error: unknown): string {
  return error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
}

function refused(path: string, message: string): GantryError {
  return new GantryError('rule_invalid', `${path}: ${message}`, { fields: [{ path, message }] });
}
