import type { Blobs } from './port.js'

/** The parsed setting `SVC_BLOBS`: where the bytes of files are. */
export type BlobsConfig =
  /** @property folder an absolute path */
  | { readonly kind: 'disk'; readonly folder: string }
  /** @property endpoint the URL of another provider than AWS */
  | { readonly kind: 's3'; readonly bucket: string; readonly endpoint?: string; readonly region?: string }

/** The store in messages. */
export const describeBlobs = (config: BlobsConfig): string =>
  config.kind === 'disk' ? config.folder : `s3://${config.bucket}`

/** Opens the configured blob store. Imports only the configured adapter. @throws OperatorError if a directory cannot be prepared */
export async function selectBlobs(config: BlobsConfig): Promise<Blobs> {
  switch (config.kind) {
    case 'disk': {
      const { openDiskBlobs } = await import('./disk/disk-blobs.js')
      return openDiskBlobs(config.folder)
    }
    case 's3':
      return openBucket(config)
  }
}

/** The same for a command that changes nothing: a missing directory is not made. @throws StorageError if it does not exist */
export async function selectExistingBlobs(config: BlobsConfig): Promise<Blobs> {
  switch (config.kind) {
    case 'disk': {
      const { openExistingDiskBlobs } = await import('./disk/disk-blobs.js')
      return openExistingDiskBlobs(config.folder)
    }
    case 's3':
      return openBucket(config)
  }
}

async function openBucket(config: BlobsConfig & { kind: 's3' }): Promise<Blobs> {
  const { openS3Blobs } = await import('./s3/s3-blobs.js')
  return openS3Blobs(config)
}
