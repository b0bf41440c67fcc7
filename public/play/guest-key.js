import { secp256k1 } from '@noble/curves/secp256k1';
import { keccak_256 } from '@noble/hashes/sha3';

/**
 * A throwaway wallet that signs as `personal_sign` does (EIP-191). Its key is held in memory only and lost with
 * this object.
 * @returns {import('./sign-in.js').Signer}
 */
export function newGuest() {
  const key = secp256k1.utils.randomPrivateKey();
  return {
    wallet: addressOf(secp256k1.getPublicKey(key, false)),
    chainId: undefined,
    sign: async (text) => {
      const signature = secp256k1.sign(personalMessageHash(text), key);
      const recovery = (27 + signature.recovery).toString(16);
      return `0x${signature.toCompactHex()}${recovery}`;
    },
  };
}

/**
 * The last 20 bytes of the Keccak-256 of an uncompressed public key's coordinates.
 * @param {Uint8Array} publicKey
 */
function addressOf(publicKey) {
  return `0x${hex(keccak_256(publicKey.subarray(1)).subarray(12))}`;
}

/** @param {string} text */
function personalMessageHash(text) {
  const message = new TextEncoder().encode(text);
  const prefix = new TextEncoder().encode(`\x19Ethereum Signed Message:\n${message.length}`);
  const whole = new Uint8Array(prefix.length + message.length);
  whole.set(prefix);
  whole.set(message, prefix.length);
  return keccak_256(whole);
}

/** @param {Uint8Array} bytes */
function hex(bytes) {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
