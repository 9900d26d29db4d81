/** Without characters that look alike on a phone. 32 of them, so that a byte selects each with the same probability. */
const alphabet = 'abcdefghjkmnpqrstuvwxyz023456789'

/** 120 bits, which no client can guess. */
const length = 24

/** A random signing key that is easy to type. */
export const newSigningKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(length)), (byte) => alphabet.charAt(byte % alphabet.length)).join('')
