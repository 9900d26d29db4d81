import { LRUCache } from 'lru-cache'
import type { Pem } from './port.js'

/** Many chains have the same issuers. By their PEM text, which is kept once. */
const issuers = new LRUCache<string, string>({ max: 100 })

const block = /-----BEGIN ([A-Z ]+)-----([^-]+)-----END \1-----\n?/

interface Packed {
  readonly label: string
  /** A text with one character for each byte: it takes less memory than a Buffer. */
  readonly bytes: string
}

/** The texts of a certificate in less than half of their memory. */
export class PackedPem {
  readonly #leaf: string
  readonly #issuers: string
  readonly #key: Packed

  constructor({ chain, key }: Pem) {
    this.#leaf = pack(chain).bytes
    const rest = chain.replace(block, '')
    const known = issuers.get(rest)
    this.#issuers = known ?? rest
    if (known === undefined) issuers.set(rest, rest)
    this.#key = pack(key)
  }

  get pem(): Pem {
    return { chain: unpack({ label: 'CERTIFICATE', bytes: this.#leaf }) + this.#issuers, key: unpack(this.#key) }
  }
}

function pack(text: string): Packed {
  const [, label = '', base64 = ''] = block.exec(text) ?? []
  return { label, bytes: Buffer.from(base64, 'base64').toString('latin1') }
}

/** RFC 7468, section 3. */
function unpack({ label, bytes }: Packed): string {
  const lines = Buffer.from(bytes, 'latin1')
    .toString('base64')
    .replace(/.{64}(?=.)/g, '$&\n')
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`
}
