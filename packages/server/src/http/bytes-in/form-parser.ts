import type { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { ApiError, badRequest, type ByteField } from '@svc/contract'
import { shortened } from '../../shared/quoted.js'
import { endOfFile, maxRest } from './byte-body.js'

/** More fields than any operation has. */
const maxFields = 32
/** Beside the file parts. */
const maxOtherParts = 39

/** Busboy's own buffer. Larger than a chunk of a request, so that busboy parses each chunk at once. */
const bufferBytes = 1024 * 1024

/** Busboy does no I/O. What it has not done within so many turns of the event loop it never does. */
const maxTurns = 20

/** Stands for an unknown type (RFC 2046, section 4.5.1) and is not used as a default. curl sends it for most files. */
const unknownType = 'application/octet-stream'

/** A file part. */
interface FormFile {
  readonly name: string
  readonly stream: Readable
  /** Bytes that have not been taken. */
  pieces: Buffer[]
  isEnded: boolean
}

/** Parses a form piece by piece. Every call ends: it does not rely on the events of busboy, some of which never come. */
export class FormParser {
  readonly #busboy: BusboyInstance
  readonly #given = new Map<string, string>()
  readonly #defaults = new Map<string, string>()
  #failure: ApiError | undefined
  readonly #files: FormFile[] = []
  /** How many files have been taken to their ends. */
  #taken = 0
  #isFinished = false
  /** Whether busboy is parsing, so that an exception ends it. */
  #isParsing = false
  /** Bytes of the form that are not those of files. */
  #rest = 0

  /** @param maxFiles the most file parts */
  constructor(
    contentType: string,
    private readonly names: ByteField,
    maxFiles = 1,
  ) {
    const maxParts = maxFiles + maxOtherParts
    this.#busboy = openBusboy(contentType, { files: maxFiles, parts: maxParts })
    this.#busboy
      .on('field', (name, value, _nameTruncated, isTruncated) => this.#takeField(name, value, isTruncated))
      .on('file', (_field, file, name, _encoding, type) => this.#takeFile(file, name, type))
      .on('filesLimit', () =>
        this.#stop(`The form has more than ${maxFiles === 1 ? 'one file part' : `${maxFiles} file parts`}.`),
      )
      .on('fieldsLimit', () => this.#stop(`The form has more than ${maxFields} fields.`))
      .on('partsLimit', () => this.#stop(`The form has more than ${maxParts} parts.`))
      .on('error', () => this.#fail(malformed))
      .on('finish', () => (this.#isFinished = true))
  }

  /** @throws ApiError for a form that is malformed or exceeds a limit */
  async write(chunk: Buffer): Promise<void> {
    this.#rest += chunk.length
    for (const piece of piecesOf(chunk)) {
      if (piece !== chunk) await nextTurn()
      this.#run(() => this.#busboy.write(piece))
      await this.#until(() => this.#busboy.writableLength === 0 && this.#isRead())
    }
    if (this.#rest > maxRest)
      throw new ApiError(
        'bad_request',
        `The form has more than ${maxRest} bytes besides its ${this.names.each ? 'file parts' : 'file part'}.`,
      )
  }

  /** @throws ApiError also for a form that is not complete or has no file part */
  async end(): Promise<void> {
    this.#run(() => this.#busboy.end())
    await this.#until(() => this.#isFinished && this.#files.every(({ isEnded }) => isEnded))
    if (this.#files.length === 0)
      throw new ApiError(
        'bad_request',
        `The form has no file part: send ${this.names.field} as ${this.names.each ? 'files, each' : 'a file,'} with a file name.`,
      )
  }

  /** @returns the bytes of the files that have arrived, with `endOfFile` after each file */
  *takeFileBytes(): Generator<Buffer> {
    for (let file = this.#files[this.#taken]; file !== undefined; file = this.#files[this.#taken]) {
      const { pieces, isEnded } = file
      file.pieces = []
      yield* pieces
      if (!isEnded) return
      this.#taken++
      yield endOfFile
    }
  }

  /** The names of the files, in their order. */
  get fileNames(): readonly string[] {
    return this.#files.map(({ name }) => name)
  }

  /** The other fields; where one is missing, the file part's name and type. */
  get fields(): object {
    return Object.fromEntries([...this.#defaults, ...this.#given])
  }

  #takeFile(stream: Readable, name: string | undefined, type: string): void {
    const file: FormFile = { name: name ?? '', stream, pieces: [], isEnded: false }
    this.#files.push(file)
    this.#setDefaults(name, type)
    stream.on('data', (piece: Buffer) => {
      file.pieces.push(piece)
      this.#rest -= piece.length
    })
    stream.on('end', () => {
      file.isEnded = true
    })
    stream.on('error', () => this.#fail(malformed))
  }

  /** Whether busboy has given out all bytes of files. Only the last file may go on. */
  #isRead(): boolean {
    const last = this.#files.at(-1)
    return this.#files.every((file) => (file === last ? file.stream.readableLength === 0 : file.isEnded))
  }

  #takeField(name: string | undefined, value: string, isTruncated: boolean): void {
    if (name === undefined) this.#fail('A field of the form has no name.')
    else if (name === this.names.field) this.#failField(name, 'must be a file part, with a file name')
    else if (this.#given.has(name)) this.#failField(name, 'may be given only once')
    else if (isTruncated) this.#failField(name, `is longer than ${maxRest} bytes`)
    else this.#given.set(name, value)
  }

  #setDefaults(name: string | undefined, type: string): void {
    if (this.names.name !== undefined && name !== undefined && name !== '') this.#defaults.set(this.names.name, name)
    if (this.names.mediaType !== undefined && type !== unknownType) this.#defaults.set(this.names.mediaType, type)
  }

  /** Busboy throws at some malformed headers. */
  #run(step: () => void): void {
    this.#isParsing = true
    try {
      step()
    } catch {
      this.#fail(malformed)
    } finally {
      this.#isParsing = false
    }
  }

  /** @throws ApiError for the first failure of the form, or if the condition does not become true */
  async #until(isDone: () => boolean): Promise<void> {
    for (let turn = 0; turn < maxTurns && !isDone() && !this.#failure; turn++) await nextTurn()
    if (!isDone()) this.#fail(malformed)
    if (this.#failure) throw this.#failure
  }

  #failField(name: string, problem: string): void {
    this.#failure ??= badRequest(shortened(name), problem)
  }

  /** Fails and ends the parsing of the chunk: 64 KiB of empty parts beyond the limit would take 100 ms. */
  #stop(message: string): void {
    this.#fail(message)
    if (this.#isParsing) throw this.#failure as ApiError
  }

  #fail(message: string): void {
    this.#failure ??= new ApiError('bad_request', message)
  }
}

/** How many parts are parsed in one turn of the event loop: hundreds of small ones would take 20 ms. */
const partsInTurn = 10
const delimiterStart = Buffer.from('\r\n--')

/** The pieces of a chunk, each with the beginnings of a few parts. */
function* piecesOf(chunk: Buffer): Generator<Buffer> {
  let start = 0
  let seen = 0
  for (let at = chunk.indexOf(delimiterStart); at !== -1; at = chunk.indexOf(delimiterStart, at + 1)) {
    if (++seen % partsInTurn > 0) continue
    yield chunk.subarray(start, at)
    start = at
  }
  yield start === 0 ? chunk : chunk.subarray(start)
}

const malformed = 'The form is malformed or not complete (RFC 7578).'

/** @throws ApiError for a header without a boundary */
function openBusboy(contentType: string, limits: { readonly files: number; readonly parts: number }): BusboyInstance {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      highWaterMark: bufferBytes,
      limits: { ...limits, fields: maxFields, fieldSize: maxRest, headerPairs: 20, headerSize: maxRest },
    })
  } catch {
    throw new ApiError('bad_request', 'The header Content-Type of a form must have a boundary (RFC 7578, section 4.1).')
  }
}
