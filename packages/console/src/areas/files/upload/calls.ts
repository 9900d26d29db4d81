import type { areas, Output } from '@svc/contract'

/** A file as the server shows it. */
export type StoredFile = Output<typeof areas.files.upload>

interface ByteOptions {
  readonly bytes: Blob
  readonly signal: AbortSignal
}

interface Details {
  readonly name: string
  readonly media_type: string | undefined
}

/** The calls of the typed client that send files. */
export interface UploadCalls {
  readonly upload: (input: Details, options: ByteOptions) => Promise<StoredFile>
  readonly uploadChunk: (
    input: { readonly upload_id: number | undefined; readonly index: number; readonly size: number | undefined },
    options: ByteOptions,
  ) => Promise<Output<typeof areas.files.uploadChunk>>
  readonly uploadFinalize: (
    input: Details & { readonly upload_id: number; readonly parts: number },
  ) => Promise<StoredFile>
  readonly uploadDiscard: (input: { readonly upload_id: number }) => Promise<unknown>
  /** The newest files. Also tells whether the server can be reached. */
  readonly list: () => Promise<{ readonly files: readonly StoredFile[] }>
}

/** Time and the network, which tests replace. */
export interface Surroundings {
  /** In milliseconds. */
  readonly now: () => number
  /** Ends early when the network is back, and when the signal aborts. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
}
