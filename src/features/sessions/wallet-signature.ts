import * as Hex from 'ox/Hex';
import * as PersonalMessage from 'ox/PersonalMessage';
import * as Secp256k1 from 'ox/Secp256k1';

/** Half the order of secp256k1: a larger s is an alternative encoding of the same signature (EIP-2). */
const halfOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/** 65 bytes: r, s and v; or 64 bytes: r, and s with the parity as its highest bit (EIP-2098). */
const form = /^0x(?<r>[0-9a-f]{64})(?<s>[0-9a-f]{64})(?<v>00|01|1b|1c)?$/i;

/**
 * Whether an externally owned account (EOA) made this `personal_sign` signature (EIP-191). Checked locally, without
 * RPC. Only a low s is accepted, in 65 bytes or in the compact 64 of EIP-2098.
 */
export function isSignedByEoa(message: string, signature: string, wallet: string): boolean {
  const parts = form.exec(signature)?.groups;
  if (!parts) return false;
  const sBytes = BigInt(`0x${parts.s}`);
  const s = parts.v === undefined ? BigInt.asUintN(255, sBytes) : sBytes;
  const yParity = parts.v === undefined ? Number(sBytes >> 255n) : Number(`0x${parts.v}`) % 27;
  if (s > halfOrder) return false;
  try {
    const signer = Secp256k1.recoverAddress({
      payload: PersonalMessage.getSignPayload(Hex.fromString(message)),
      signature: { r: BigInt(`0x${parts.r}`), s, yParity },
    });
    return signer.toLowerCase() === wallet;
  } catch {
    return false; // r or s is outside the curve's order
  }
}
