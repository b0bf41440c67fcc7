import { parseAbi } from 'abitype';
import type { Address, PublicClient } from 'viem';
import { GantryError, invalidField } from '../../core/errors.ts';
import { isGuestAddress } from '../../core/schemas/fields.ts';
import type { ChainClients } from '../chains/chain-client.ts';
import { asHex, isUnreachable } from '../chains/rpc-errors.ts';
import type { Signers } from '../chains/signers.ts';
import { balanceKey } from './balance-key.ts';
import { type Action, isChainAction, type Rule, type TokenCondition } from './rule.ts';
import type { ChainFacts } from './trigger.ts';

const tokens = parseAbi([
  'function balanceOf(address owner) view returns (uint256)',
  'function decimals() view returns (uint8)',
]);
const multiToken = parseAbi(['function balanceOf(address owner, uint256 id) view returns (uint256)']);

/** The rules' access to chains: validates rules, and reads players' balances. */
export class RuleChains {
  readonly #clients: ChainClients;
  readonly #signers: Signers;

  constructor(clients: ChainClients, signers: Signers) {
    this.#clients = clients;
    this.#signers = signers;
  }

  /**
   * Validates rules against the chains, and adds the decimals of their tokens.
   * @throws GantryError `rule_invalid` naming an unknown signer, an unreachable chain or a missing contract
   */
  async validate(rules: readonly Rule[]): Promise<Rule[]> {
    return Promise.all(
      rules.map(async (rule, at) => ({
        ...rule,
        actions: await Promise.all(
          rule.actions.map((action, index) => this.#validateAction(action, `rules.${at}.actions.${index}`)),
        ),
      })),
    );
  }

  /**
   * Reads what the conditions of these rules on this trigger need from chains.
   * @throws GantryError `chain_unavailable` when a chain cannot be queried: the trigger can be sent again
   */
  async factsFor(rules: readonly Rule[], trigger: string, wallet: string): Promise<ChainFacts> {
    const conditions = new Map<string, TokenCondition>();
    for (const { actions } of rules.filter((rule) => rule.trigger === trigger)) {
      for (const condition of actions.flatMap((action) => action.conditions ?? [])) {
        if (condition.type !== 'user-owns-tokens' || condition.contract === undefined) continue;
        conditions.set(balanceKey(condition), condition);
      }
    }
    const balances = await Promise.all(
      [...conditions].map(async ([key, condition]) => [key, await this.#balance(condition, wallet)] as const),
    );
    return { signers: this.#signers.addresses(), balances: Object.fromEntries(balances) };
  }

  async #balance(condition: TokenCondition, wallet: string): Promise<string> {
    if (isGuestAddress(wallet)) return '0'; // a guest's address has no private key and owns no tokens
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
        `Balance lookup on chain ${chainId} failed; try again later`,
        { cause: error },
      );
    }
  }

  async #validateAction(action: Action, path: string): Promise<Action> {
    for (const [index, condition] of (action.conditions ?? []).entries()) {
      if (condition.type !== 'user-owns-tokens' || condition.contract === undefined) continue;
      await this.#validateContract(condition.chainId ?? 0, condition.contract, `${path}.conditions.${index}`);
    }
    if (!isChainAction(action)) return action;
    if (!Object.hasOwn(this.#signers.addresses(), action.signer)) {
      throw ruleInvalid(`${path}.signer`, `this server has no signer named ${action.signer} (SIGNERS)`);
    }
    const client = await this.#validateContract(action.chainId, action.contract, path);
    if (action.type !== 'IssueToken') return action;
    const decimals = await client
      .readContract({ address: asHex(action.contract), abi: tokens, functionName: 'decimals' })
      .catch((error: unknown) => {
        if (isUnreachable(error)) throw ruleInvalid(`${path}.chainId`, 'no RPC server of the chain responds');
        return undefined; // decimals() is optional in ERC-20
      });
    const stated = action.decimals ?? decimals;
    if (stated === undefined) {
      throw ruleInvalid(`${path}.decimals`, 'the contract does not report its decimals; specify them');
    }
    if (decimals !== undefined && decimals !== stated) {
      throw ruleInvalid(`${path}.decimals`, `the contract reports ${decimals} decimals`);
    }
    return { ...action, decimals: stated };
  }

  async #validateContract(chainId: number, contract: string, path: string): Promise<PublicClient> {
    if (!this.#clients.chainIds.includes(chainId)) {
      const known = this.#clients.chainIds.join(', ') || 'none';
      throw ruleInvalid(
        `${path}.chainId`,
        `CHAINS has no RPC server for chain ${chainId} (configured: ${known})`,
      );
    }
    let code: Address | undefined;
    let client: PublicClient;
    try {
      client = await this.#clients.get(chainId);
      code = await client.getCode({ address: asHex(contract) });
    } catch (error) {
      const problem = isUnreachable(error) ? 'no RPC server of the chain responds' : describeError(error);
      throw ruleInvalid(`${path}.chainId`, problem);
    }
    if (code === undefined)
      throw ruleInvalid(`${path}.contract`, `no contract is deployed at ${contract} on chain ${chainId}`);
    return client;
  }
}

function describeError(error: unknown): string {
  return error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
}

function ruleInvalid(path: string, message: string): GantryError {
  return invalidField(path, message, 'rule_invalid');
}
