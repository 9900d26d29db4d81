import { ApiError, badRequest, badRequestSentence, type ByteField } from '@svc/contract'
import { endOfFile } from './byte-body.js'
import { JsonText } from './json-text.js'

const [quote, backslash, comma, colon, bracket, closingBracket, brace, closingBrace] = Buffer.from('"\\,:[]{}')

/** The depth of the outer object, and of the objects in a list of it. */
const outer = 1
const inList = 3

/**
 * Separates texts from a JSON object while the object arrives, so that they are never in memory as a whole: one top-level string
 * field, or one string field of each object in a top-level list. It does not check the JSON: `rest` is the same object with empty
 * texts, for a parser that does.
 */
export class JsonSplitter {
  #place: 'between' | 'string' | 'escape' | 'text' = 'between'
  #depth = 0
  /** Whether the list of the texts is open. */
  #isInList = false
  /** Whether the next string is a key of the outer object, or of one in the list. */
  #isKeyNext = false
  /** Where this key starts in the rest; undefined outside of one. */
  #keyStart: number | undefined
  /** Whether the name of the field, or of the text in the list, came last, and whether its colon followed. */
  #isField = false
  #isValueNext = false
  #isFieldSeen = false
  /** In the current object of the list. */
  #isContentSeen = false
  readonly #text: JsonText
  readonly #rest: Buffer
  #restLength = 0
  /** The length of the rest up to the first text; undefined before it begins. */
  #lengthBefore: number | undefined

  /** @param maxRest the longest rest, in bytes */
  constructor(
    private readonly names: Pick<ByteField, 'field' | 'each'>,
    maxRest: number,
  ) {
    this.#text = new JsonText(names.field)
    this.#rest = Buffer.allocUnsafe(maxRest)
  }

  /**
   * Takes the next bytes of the object.
   * @returns the characters of the texts in them, without escapes, with `endOfFile` after each text that ends
   * @throws ApiError for a second field of the name, a rest that is too long, or an escape that JSON does not have
   */
  push(chunk: Buffer): readonly Buffer[] {
    const pieces: Buffer[] = []
    for (let i = 0; i < chunk.length; i++) {
      if (this.#place === 'text') {
        const { characters, end } = this.#text.take(chunk, i)
        pieces.push(characters)
        i = end
        if (end === chunk.length) break
        this.#place = 'between'
        this.#keep(chunk[end] as number)
        pieces.push(endOfFile)
      } else this.#takeByte(chunk[i] as number)
    }
    return pieces
  }

  /** The object with empty texts. */
  get rest(): Buffer {
    return this.#rest.subarray(0, this.#restLength)
  }

  /** The object as if it ended after a first, empty text; undefined before the text begins. */
  get before(): Buffer | undefined {
    if (this.#lengthBefore === undefined) return undefined
    return Buffer.concat([this.#rest.subarray(0, this.#lengthBefore), Buffer.from(this.names.each ? '"}]}' : '"}')])
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
    const { field, each } = this.names
    this.#keyStart = undefined
    const isInEntry = each !== undefined && this.#depth === inList
    this.#isField = isName(key, isInEntry ? each.content : field)
    if (!this.#isField) return
    if (isInEntry ? this.#isContentSeen : this.#isFieldSeen)
      throw isInEntry
        ? badRequestSentence(field, `${each.content} of ${field} may be given only once`)
        : badRequest(field, 'may be given only once')
    if (isInEntry) this.#isContentSeen = true
    else this.#isFieldSeen = true
  }

  /** Whether the keys of the current object matter. */
  get #hasNames(): boolean {
    return this.#depth === outer || (this.#isInList && this.#depth === inList)
  }

  /** Takes a byte outside of strings that is not white space. */
  #takeToken(byte: number): void {
    const isValueNext = this.#isValueNext
    const isKeyNext = this.#isKeyNext
    this.#isValueNext = byte === colon && this.#isField && this.#hasNames
    this.#isField = false
    this.#isKeyNext = false
    if (byte === quote) this.#beginString(isKeyNext, isValueNext)
    else if (byte === brace || byte === bracket) this.#beginNested(byte, isValueNext)
    else if (byte === closingBrace || byte === closingBracket) {
      this.#depth--
      if (this.#depth === outer) this.#isInList = false
    } else if (byte === comma) this.#isKeyNext = this.#hasNames
  }

  #beginString(isKey: boolean, isValue: boolean): void {
    const isText = isValue && (this.names.each === undefined || this.#depth === inList)
    this.#place = isText ? 'text' : 'string'
    if (isText) this.#lengthBefore ??= this.#restLength
    if (isKey) this.#keyStart = this.#restLength - 1
  }

  #beginNested(byte: number, isValue: boolean): void {
    if (isValue && this.#depth === outer) this.#isInList = byte === bracket && this.names.each !== undefined
    this.#depth++
    this.#isKeyNext = byte === brace && this.#hasNames
    if (this.#depth === inList) this.#isContentSeen = false
  }

  #keep(byte: number): void {
    if (this.#restLength === this.#rest.length)
      throw new ApiError(
        'bad_request',
        `The body has more than ${this.#rest.length} bytes besides ${this.names.field}.`,
      )
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
