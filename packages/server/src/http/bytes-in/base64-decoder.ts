import { badRequest } from '@svc/contract'

const equals = 0x3d

/** Decodes base64 (RFC 4648, section 4) while it arrives. The padding may be missing. */
export class Base64Decoder {
  /** Up to three characters that are not a group yet. */
  #carried = ''
  #length = 0
  #padding = 0

  constructor(private readonly field: string) {}

  /** Takes the next characters. @returns the bytes of the complete groups. @throws ApiError for other characters */
  push(characters: Buffer): Buffer {
    const plain = this.#withoutPadding(characters)
    const text = this.#carried + plain.toString('latin1')
    const whole = text.length - (text.length % 4)
    this.#carried = text.slice(whole)
    return this.#decode(text.slice(0, whole))
  }

  /** Ends the text. @returns the bytes of the last, incomplete group. @throws ApiError for a text of a wrong length */
  end(): Buffer {
    const isWronglyPadded = this.#padding > 0 && (this.#length + this.#padding) % 4 !== 0
    if (this.#carried.length === 1 || isWronglyPadded)
      throw badRequest(
        this.field,
        `is not complete base64 (RFC 4648, section 4): it has ${this.#length} characters and ${this.#padding} of padding`,
      )
    return this.#decode(this.#carried)
  }

  #withoutPadding(characters: Buffer): Buffer {
    const end = this.#padding > 0 ? 0 : characters.indexOf(equals)
    const plain = end === -1 ? characters : characters.subarray(0, end)
    this.#length += plain.length
    if (plain.length === characters.length) return plain
    const padding = characters.subarray(plain.length)
    this.#padding += padding.length
    // At once, because padding has no bytes that a limit would count.
    if (this.#padding > 2 || padding.some((byte) => byte !== equals)) throw this.#badCharacter()
    return plain
  }

  /** Node.js skips characters that are not base64, and decodes those of the URL-safe alphabet. */
  #decode(text: string): Buffer {
    const bytes = Buffer.from(text, 'base64')
    if (bytes.length !== Math.floor((text.length * 3) / 4) || text.includes('-') || text.includes('_'))
      throw this.#badCharacter()
    return bytes
  }

  #badCharacter() {
    return badRequest(
      this.field,
      'must be base64 in the alphabet A-Z, a-z, 0-9, + and / (RFC 4648, section 4), without spaces and line breaks',
    )
  }
}
