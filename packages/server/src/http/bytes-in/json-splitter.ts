import { ApiError, badRequest } from '@svc/contract'

const [quote, backslash, slash, comma, colon, bracket, closingBracket, brace, closingBrace] = Buffer.from('"\\/,:[]{}')
const letterU = 0x75

/** Escapes of one letter (RFC 8259, section 7) and their characters. */
const escapes = new Map([...'"\\/bfnrt'].map((letter, i) => [letter.charCodeAt(0), '"\\/\b\f\n\r\t'.charCodeAt(i)]))

/** Stands for a character beyond ASCII in the text of the field. No base64 has it. */
const notAscii = 0

/** Where the next byte is. */
type Place = 'between' | 'string' | 'escape in a string' | 'text' | 'escape in the text' | 'code in the text'

/**
 * Separates the text of one top-level string field from a JSON object while the object arrives, so that the text is never in
 * memory as a whole. It does not check the JSON: `rest` is the same object with an empty text, for a parser that does.
 */
export class JsonSplitter {
  #place: Place = 'between'
  #depth = 0
  /** Whether the next string is a key of the outer object. */
  #isKeyNext = false
  /** Where the current key of the outer object starts in the rest; undefined outside of one. */
  #keyStart: number | undefined
  /** Whether the field's name came last, and whether its colon followed. */
  #isField = false
  #isValueNext = false
  #timesSeen = 0
  /** The hexadecimal digits of an unfinished \uXXXX. */
  #code = ''
  readonly #rest: Buffer
  #restLength = 0

  /** @param maxRest the longest rest, in bytes */
  constructor(
    private readonly field: string,
    maxRest: number,
  ) {
    this.#rest = Buffer.allocUnsafe(maxRest)
  }

  /**
   * Takes the next bytes of the object. @returns the characters of the field's text in them, without escapes
   * @throws ApiError for a second field of the name, a rest that is too long, or an escape that JSON does not have
   */
  push(chunk: Buffer): Buffer {
    // A text is never longer than its escaped form.
    const text = Buffer.allocUnsafe(chunk.length)
    let length = 0
    for (let i = 0; i < chunk.length; i++) {
      if (this.#place === 'text') {
        const end = endOfPlain(chunk, i)
        length += chunk.copy(text, length, i, end)
        if (end === chunk.length) break
        i = end
      }
      // Escapes one by one from here to the end of the chunk: searching for each of them would be quadratic.
      for (; i < chunk.length && isInText(this.#place); i++) {
        const character = this.#takeText(chunk[i] as number)
        if (character !== undefined) text[length++] = character
      }
      if (i < chunk.length) this.#takeRest(chunk[i] as number)
    }
    return text.subarray(0, length)
  }

  /** The object without the characters of the text. */
  get rest(): Buffer {
    return this.#rest.subarray(0, this.#restLength)
  }

  /** @returns the character that the byte completes */
  #takeText(byte: number): number | undefined {
    switch (this.#place) {
      case 'escape in the text':
        return this.#takeEscape(byte)
      case 'code in the text':
        return this.#takeCode(byte)
      default:
        if (byte === backslash) this.#place = 'escape in the text'
        else if (byte === quote) this.#endText()
        else return byte
        return undefined
    }
  }

  #takeEscape(byte: number): number | undefined {
    this.#place = byte === letterU ? 'code in the text' : 'text'
    if (byte === letterU) return undefined
    const character = escapes.get(byte)
    if (character === undefined) throw badEscape(this.field)
    return character
  }

  #takeCode(byte: number): number | undefined {
    this.#code += String.fromCharCode(byte)
    if (this.#code.length < 4) return undefined
    if (!/^[0-9a-f]{4}$/i.test(this.#code)) throw badEscape(this.field)
    const code = parseInt(this.#code, 16)
    this.#code = ''
    this.#place = 'text'
    return code < 0x80 ? code : notAscii
  }

  #endText(): void {
    this.#keep(quote)
    this.#place = 'between'
  }

  #takeRest(byte: number): void {
    this.#keep(byte)
    if (this.#place === 'escape in a string') this.#place = 'string'
    else if (this.#place === 'string') this.#takeString(byte)
    else if (byte > 0x20) this.#takeToken(byte)
  }

  #takeString(byte: number): void {
    if (byte === backslash) this.#place = 'escape in a string'
    if (byte !== quote) return
    this.#place = 'between'
    if (this.#keyStart !== undefined) this.#endKey(this.#rest.subarray(this.#keyStart, this.#restLength))
  }

  #endKey(key: Buffer): void {
    this.#keyStart = undefined
    this.#isField = isName(key, this.field)
    if (this.#isField && ++this.#timesSeen > 1) throw badRequest(this.field, 'may be given only once')
  }

  /** Takes a byte outside of strings that is not white space. */
  #takeToken(byte: number): void {
    const isValueNext = this.#isValueNext
    const isKeyNext = this.#isKeyNext
    this.#isValueNext = byte === colon && this.#isField && this.#depth === 1
    this.#isField = false
    this.#isKeyNext = false
    if (byte === quote) {
      this.#place = isValueNext ? 'text' : 'string'
      if (isKeyNext) this.#keyStart = this.#restLength - 1
    } else if (byte === brace || byte === bracket) this.#isKeyNext = ++this.#depth === 1 && byte === brace
    else if (byte === closingBrace || byte === closingBracket) this.#depth--
    else if (byte === comma) this.#isKeyNext = this.#depth === 1
  }

  #keep(byte: number | undefined): void {
    if (this.#restLength === this.#rest.length)
      throw new ApiError('bad_request', `The body has more than ${this.#rest.length} bytes besides ${this.field}.`)
    this.#rest[this.#restLength++] = byte as number
  }
}

const isInText = (place: Place): boolean =>
  place === 'text' || place === 'escape in the text' || place === 'code in the text'

/** The index of the first quotation mark or backslash; the length of the chunk without one. */
function endOfPlain(chunk: Buffer, from: number): number {
  const end = chunk.indexOf(quote as number, from)
  const plain = chunk.subarray(from, end === -1 ? chunk.length : end)
  const escape = plain.indexOf(backslash as number)
  return from + (escape === -1 ? plain.length : escape)
}

/** Whether a key, which may have escapes, is the name. */
function isName(key: Buffer, name: string): boolean {
  try {
    return JSON.parse(key.toString()) === name
  } catch {
    // The parser of the rest reports the key.
    return false
  }
}

const badEscape = (field: string) => badRequest(field, 'has an escape that JSON does not have (RFC 8259, section 7)')
