import { badRequest } from '@svc/contract'

const quote = 0x22
const backslash = 0x5c
const letterU = 0x75

/** The characters of the escapes of one letter (RFC 8259, section 7), by the letter; 0 for other letters. */
const escapes = new Uint8Array(256)
for (const [letter, character] of ['""', '\\\\', '//', 'b\b', 'f\f', 'n\n', 'r\r', 't\t'].map((pair) =>
  Buffer.from(pair),
))
  escapes[letter as number] = character as number

/** Stands for a character beyond ASCII. No base64 has it. */
const notAscii = 0

/** The characters of a JSON string that arrives in chunks, without escapes. */
export class JsonText {
  #place: 'plain' | 'escape' | 'code' = 'plain'
  /** The hexadecimal digits of an unfinished \uXXXX. */
  #code = ''

  /** @param field the name of the string, for messages */
  constructor(private readonly field: string) {}

  /**
   * Takes the part of the string that is in a chunk.
   * @param start the index of the string, or of its rest, in the chunk
   * @returns its characters, and the index of the quotation mark that ends it; the length of the chunk if it goes on
   * @throws ApiError for an escape that JSON does not have
   */
  take(chunk: Buffer, start: number): { readonly characters: Buffer; readonly end: number } {
    const isPlain = this.#place === 'plain'
    const plainEnd = isPlain ? endOfPlain(chunk, start) : start
    if (isPlain && chunk[plainEnd] !== backslash) return { characters: chunk.subarray(start, plainEnd), end: plainEnd }
    // A character is never longer than its escaped form.
    const characters = Buffer.allocUnsafe(chunk.length - start)
    let length = chunk.copy(characters, 0, start, plainEnd)
    let end = plainEnd
    // One by one to the end of the chunk: a search for each escape would be quadratic.
    for (; end < chunk.length; end++) {
      const byte = chunk[end] as number
      if (this.#place === 'plain' && byte === quote) break
      const character = this.#takeByte(byte)
      if (character !== undefined) characters[length++] = character
    }
    return { characters: characters.subarray(0, length), end }
  }

  /** @returns the character that the byte completes */
  #takeByte(byte: number): number | undefined {
    switch (this.#place) {
      case 'escape':
        return this.#takeEscape(byte)
      case 'code':
        return this.#takeCode(byte)
      case 'plain':
        if (byte !== backslash) return byte
        this.#place = 'escape'
        return undefined
    }
  }

  #takeEscape(byte: number): number | undefined {
    this.#place = byte === letterU ? 'code' : 'plain'
    const character = escapes[byte] as number
    if (character !== 0) return character
    if (byte !== letterU) throw this.#badEscape()
    return undefined
  }

  #takeCode(byte: number): number | undefined {
    this.#code += String.fromCharCode(byte)
    if (this.#code.length < 4) return undefined
    if (!/^[0-9a-f]{4}$/i.test(this.#code)) throw this.#badEscape()
    const code = parseInt(this.#code, 16)
    this.#code = ''
    this.#place = 'plain'
    return code < 0x80 ? code : notAscii
  }

  #badEscape() {
    return badRequest(this.field, 'has an escape that JSON does not have (RFC 8259, section 7)')
  }
}

/** The index of the first quotation mark or backslash; the length of the chunk without one. */
function endOfPlain(chunk: Buffer, start: number): number {
  const end = chunk.indexOf(quote, start)
  const plain = chunk.subarray(start, end === -1 ? chunk.length : end)
  const escape = plain.indexOf(backslash)
  return start + (escape === -1 ? plain.length : escape)
}
