import { areas, fileNameProblem, mediaTypePattern, type Operation, type Output } from '@svc/contract'
import { NoAnswerError, type Answer, type Caller } from '@svc/client'

/** The operations that send a file in parts, or a folder. Only modules of this folder name an operation. */

const { upload, uploadChunk, uploadFinalize } = areas.files

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
  { uploadId, index, body, length }: Part,
  signal: AbortSignal | undefined,
): Promise<Output<typeof uploadChunk>> {
  const headers = { 'content-length': String(length) }
  const answer = await call(uploadChunk, { upload_id: uploadId, index }, { bytes: body, headers, signal })
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

/** The field that the server names in its error when the bytes that it has are not those of the file. */
export const checksumField = 'sha256' satisfies keyof typeof uploadFinalize.body.properties
