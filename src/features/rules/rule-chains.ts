import { parseAbi } from 'abitype';
import { type GantryError, invalidField } from '../../core/errors.ts';
import { balanceKey, type TokenCondition } from '../../core/schemas/token-condition.ts';
import type { ChainClients } from '../chains/chain-client.ts';
import { asHex, isUnreachable } from '../chains/rpc-errors.ts';
import type { Signers } from '../chains/signers.ts';
import { requireContract, tokenBalance } from '../chains/token-balances.ts';
import { type Action, isChainAction, type Rule } from './rule.ts';
import type { ChainFacts } from './trigger.ts';

const tokens = parseAbi(['function decimals() view returns (uint8)']);

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
      [...conditions].map(
        async ([key, condition]) =>
          [key, String(await tokenBalance(this.#clients, condition, wallet))] as const,
      ),
    );
    return { signers: this.#signers.addresses(), balances: Object.fromEntries(balances) };
  }

  async #validateAction(action: Action, path: string): Promise<Action> {
    for (const [index, condition] of (action.conditions ?? []).entries()) {
      if (condition.type !== 'user-owns-tokens' || condition.contract === undefined) continue;
      const { chainId = 0, contract } = condition;
      await requireContract(
        this.#clients,
        { chainId, contract },
        `${path}.conditions.${index}`,
        'rule_invalid',
      );
    }
    if (!isChainAction(action)) return action;
    if (!Object.hasOwn(this.#signers.addresses(), action.signer)) {
      throw ruleInvalid(`${path}.signer`, `this server has no signer named ${action.signer} (SIGNERS)`);
    }
    const client = await requireContract(this.#clients, action, path, 'rule_invalid');
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
}

function ruleInvalid(path: string, message: string): GantryError {
  return invalidField(path, message, 'rule_invalid');
}
