import { areas, commandOf, fileNameProblem, mediaTypePattern, type Operation, type Output } from '@svc/contract'
import { NoAnswerError, SvcError, type Answer, type Caller } from '@svc/client'

/** The operations that send a file in parts, or a folder. Only modules of this folder name an operation. */

const { upload, uploadChunk, uploadFinalize, uploadDiscard, uploadList } = areas.files

/** Whether a file argument of the operation is a folder or a zip. */
export const isSite = (op: Operation): boolean => op.id === areas.sites.deploy.id

/** Whether a file argument of the operation is sent in parts. */
export const isSentInParts = (op: Operation): boolean => op.id === upload.id

/** Fields of the file, such as its name. The server checks them when it assembles the parts. */
export type Details = Readonly<Record<string, unknown>>

export interface RefusedDetail {
  readonly field: string
  /** Follows the name of the field in a message. */
  readonly problem: string
}

const acceptedMediaType = new RegExp(mediaTypePattern)

/** The first detail that the server would refuse only after the last part; undefined if it accepts all. */
export function findRefusedDetail({ name, media_type: mediaType }: Details): RefusedDetail | undefined {
  const problem = typeof name === 'string' ? fileNameProblem(name) : undefined
  if (problem !== undefined) return { field: 'name', problem }
  if (typeof mediaType !== 'string' || acceptedMediaType.test(mediaType)) return undefined
  return { field: 'media_type', problem: 'must be a media type, such as text/plain' }
}

export interface Part {
  /** Undefined for the first part of a new upload. */
  readonly uploadId: number | undefined
  readonly index: number
  /** Bytes of the whole file; undefined if not known, or declared by an earlier part. */
  readonly fileSize: number | undefined
  readonly body: ReadableStream<Uint8Array>
  /** In bytes. */
  readonly length: number
}

export interface Finalization {
  readonly uploadId: number
  /** Number of parts. */
  readonly parts: number
  /** Of the whole file, in lower-case hexadecimal. */
  readonly sha256: string
  readonly details: Details
  readonly timeoutMs: number
}

/** Sends one part. @throws the errors of `Caller` */
export async function sendPart(
  call: Caller,
  { uploadId, index, fileSize, body, length }: Part,
  signal: AbortSignal | undefined,
): Promise<Output<typeof uploadChunk>> {
  const headers = { 'content-length': String(length) }
  const answer = await call(
    uploadChunk,
    { upload_id: uploadId, index, size: fileSize },
    { bytes: body, headers, signal },
  )
  const data = answer.kind === 'json' ? answer.envelope.data : {}
  if (isPartAnswer(data)) return data
  throw new NoAnswerError(
    'answer',
    `${uploadChunk.method} ${uploadChunk.path}: the answer has no upload_id or received`,
  )
}

const isPartAnswer = (data: object): data is Output<typeof uploadChunk> =>
  'upload_id' in data && typeof data.upload_id === 'number' && 'received' in data && Array.isArray(data.received)

/** Assembles the parts. A repetition has no effect and the same answer. @throws the errors of `Caller` */
export const finalize = (
  call: Caller,
  { uploadId, parts, sha256, details, timeoutMs }: Finalization,
): Promise<Answer> => call(uploadFinalize, { ...details, upload_id: uploadId, parts, sha256 }, { timeoutMs })

/** The fields that the server names in an error that every repetition of the part, or of the end, would get. */
const hopelessFields = [
  ...(['content', 'size'] satisfies (keyof typeof uploadChunk.body.properties)[]),
  ...(['sha256'] satisfies (keyof typeof uploadFinalize.body.properties)[]),
]

/** Whether the parts that were sent cannot become a file: a limit of the account refuses them, or they are of other bytes. */
export const isHopeless = (error: unknown): boolean =>
  error instanceof SvcError &&
  error.code === 'bad_request' &&
  hopelessFields.some((field) => error.message.startsWith(`${field} `))

/** Deadline of a discard, in milliseconds: it follows an error, which the user waits for. */
const discardTimeoutMs = 5_000

/** Removes the parts of an upload from the server. @returns how to do it by hand if that failed; undefined if it is done */
export async function discard(call: Caller, uploadId: number): Promise<string | undefined> {
  try {
    await call(uploadDiscard, { upload_id: uploadId }, { timeoutMs: discardTimeoutMs })
    return undefined
  } catch (error) {
    if (!(error instanceof SvcError || error instanceof NoAnswerError)) throw error
    if (error instanceof SvcError && error.code === 'not_found') return undefined
    return `the server keeps the sent parts for a day: svc api files ${commandOf(uploadDiscard)} --upload-id ${uploadId} removes them`
  }
}

/** How to find and remove an upload whose id is not known. */
export const findUploadsText = `svc api files ${commandOf(uploadList)} shows it, ${commandOf(uploadDiscard)} removes it`
