import { ApiError, badRequest } from '@svc/contract'
import { JsonText } from './json-text.js'

const [quote, backslash, comma, colon, bracket, closingBracket, brace, closingBrace] = Buffer.from('"\\,:[]{}')
const nothing = Buffer.alloc(0)
const endOfText = Buffer.from('"}')

/**
 * Separates the text of one top-level string field from a JSON object while the object arrives, so that the text is never in
 * memory as a whole. It does not check the JSON: `rest` is the same object with an empty text, for a parser that does.
 */
export class JsonSplitter {
  #place: 'between' | 'string' | 'escape' | 'text' = 'between'
  #depth = 0
  /** Whether the next string is a key of the outer object. */
  #isKeyNext = false
  /** Where the current key of the outer object starts in the rest; undefined outside of one. */
  #keyStart: number | undefined
  /** Whether the field's name came last, and whether its colon followed. */
  #isField = false
  #isValueNext = false
  #timesSeen = 0
  readonly #text: JsonText
  readonly #rest: Buffer
  #restLength = 0
  /** The length of the rest up to the text; undefined before it begins. */
  #lengthBefore: number | undefined

  /** @param maxRest the longest rest, in bytes */
  constructor(
    private readonly field: string,
    maxRest: number,
  ) {
    this.#text = new JsonText(field)
    this.#rest = Buffer.allocUnsafe(maxRest)
  }

  /**
   * Takes the next bytes of the object. @returns the characters of the text in them, without escapes
   * @throws ApiError for a second field of the name, a rest that is too long, or an escape that JSON does not have
   */
  push(chunk: Buffer): Buffer {
    let text: Buffer = nothing
    for (let i = 0; i < chunk.length; i++) {
      if (this.#place === 'text') {
        const { characters, end } = this.#text.take(chunk, i)
        text = characters
        i = end
        if (end === chunk.length) break
        this.#place = 'between'
        this.#keep(chunk[end] as number)
      } else this.#takeByte(chunk[i] as number)
    }
    return text
  }

  /** The object with an empty text. */
  get rest(): Buffer {
    return this.#rest.subarray(0, this.#restLength)
  }

  /** The object as if it ended after an empty text; undefined before the text begins. */
  get before(): Buffer | undefined {
    if (this.#lengthBefore === undefined) return undefined
    return Buffer.concat([this.#rest.subarray(0, this.#lengthBefore), endOfText])
  }

  #takeByte(byte: number): void {
    this.#keep(byte)
    if (this.#place === 'escape') this.#place = 'string'
    else if (this.#place === 'string') this.#takeCharacter(byte)
    else if (byte > 0x20) this.#takeToken(byte)
  }

  #takeCharacter(byte: number): void {
    if (byte === backslash) this.#place = 'escape'
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
      if (isValueNext) this.#lengthBefore = this.#restLength
      if (isKeyNext) this.#keyStart = this.#restLength - 1
    } else if (byte === brace || byte === bracket) this.#isKeyNext = ++this.#depth === 1 && byte === brace
    else if (byte === closingBrace || byte === closingBracket) this.#depth--
    else if (byte === comma) this.#isKeyNext = this.#depth === 1
  }

  #keep(byte: number): void {
    if (this.#restLength === this.#rest.length)
      throw new ApiError('bad_request', `The body has more than ${this.#rest.length} bytes besides ${this.field}.`)
    this.#rest[this.#restLength++] = byte
  }
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
