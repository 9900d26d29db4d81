/** The octets of a DER element (X.690, section 8.1) from `at`; undefined if it is cut off. */
function elementAt(der: Buffer, at: number): { readonly content: number; readonly end: number } | undefined {
  const first = der[at + 1]
  if (first === undefined) return undefined
  const size = first < 0x80 ? 0 : first & 0x7f
  if (size > 4 || at + 2 + size > der.length) return undefined
  const content = at + 2 + size
  const end = content + (size === 0 ? first : der.readUIntBE(at + 2, size))
  return end > der.length ? undefined : { content, end }
}

/** The elements in a constructed element. */
function elementsIn(der: Buffer): readonly Buffer[] {
  const elements: Buffer[] = []
  const outer = elementAt(der, 0)
  for (let at = outer?.content ?? der.length; at < (outer?.end ?? 0);) {
    const element = elementAt(der, at)
    if (!element) return []
    elements.push(der.subarray(at, element.end))
    at = element.end
  }
  return elements
}

const versionTag = 0xa0

interface Fields {
  readonly issuer: Buffer
  readonly subject: Buffer
  /** The subject public key info. */
  readonly publicKey: Buffer
  /** The algorithm of the signature. */
  readonly signature: Buffer
}

/** @param raw DER (RFC 5280, section 4.1) @returns undefined for another structure */
function fieldsOf(raw: Buffer): Fields | undefined {
  const [signed, signature] = elementsIn(raw)
  if (!signed || !signature) return undefined
  const fields = elementsIn(signed)
  const [, , issuer, , subject, publicKey] = fields[0]?.[0] === versionTag ? fields.slice(1) : fields
  return issuer && subject && publicKey && { issuer, subject, publicKey, signature }
}

/** The public key of a certificate, in the form `spki` of `KeyObject.export`, which takes twenty times the CPU time. */
export const publicKeyOf = (raw: Buffer): Buffer | undefined => fieldsOf(raw)?.publicKey

/**
 * What decides whether OpenSSL accepts a certificate, as a text: the algorithm and the length of its key, the algorithm of its signature,
 * and whether it is self-issued, because such a signature is not judged.
 * @returns undefined for another structure than that of a certificate
 */
export function algorithmsOf(raw: Buffer): string | undefined {
  const fields = fieldsOf(raw)
  const [keyAlgorithm] = fields ? elementsIn(fields.publicKey) : []
  if (!fields || !keyAlgorithm) return undefined
  const { issuer, subject, publicKey, signature } = fields
  return [keyAlgorithm.toString('hex'), publicKey.length, signature.toString('hex'), issuer.equals(subject)].join(' ')
}
