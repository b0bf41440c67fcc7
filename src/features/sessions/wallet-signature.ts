import * as Hex from 'ox/Hex';
import * as PersonalMessage from 'ox/PersonalMessage';
import * as Secp256k1 from 'ox/Secp256k1';
import * as Signature from 'ox/Signature';

/** Half the order of secp256k1: a larger s is an alternative encoding of the same signature (EIP-2). */
const halfOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/**
 * Whether an externally owned account (EOA) made this `personal_sign` signature (EIP-191). Checked locally, without
 * RPC. Only the canonical form is accepted: 65 bytes, low s.
 */
export function isSignedByEoa(message: string, signature: string, wallet: string): boolean {
  const parts = /^0x([0-9a-f]{64})([0-9a-f]{64})(00|01|1b|1c)$/i.exec(signature);
  if (!parts || BigInt(`0x${parts[2]}`) > halfOrder) return false;
  try {
    const signer = Secp256k1.recoverAddress({
      payload: PersonalMessage.getSignPayload(Hex.fromString(message)),
      signature: Signature.fromHex(`0x${signature.slice(2)}`),
    });
    return signer.toLowerCase() === wallet;
  } catch {
    return false; // r or s is outside the curve's order
  }
}
