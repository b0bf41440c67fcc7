import { parseInput } from '../calls/parse-input.ts';
import { setStatus } from '../features/friends/operations/presence.ts';
import type { OwnPresence } from '../features/friends/presence.ts';
import type { Registry } from '../features/operation.ts';
import type { SessionDetails } from '../features/sessions/channel-session.ts';

type Status = Parameters<OwnPresence['setStatus']>[0];

/**
 * The status in a handshake, checked by the operation that sets it on an open connection, with all rules for texts.
 * @throws GantryError as that operation
 */
export async function statusInHandshake(
  registry: Registry,
  services: object,
  details: SessionDetails,
  status: unknown,
): Promise<Status> {
  const operation = registry.method(setStatus.service, setStatus.name);
  if (!operation) throw new Error('the operation is registered');
  const input = parseInput(setStatus.input, status);
  const caller = { ...details, wallet: details.session.wallet, hasSecret: false };
  const connection = {
    presenceOf: () => ({
      setStatus: async (chosen: Status) => {
        input.status = chosen.status;
        input.text = chosen.text;
      },
    }),
  };
  await operation.handler({ input, caller }, { ...services, connection });
  return input;
}
