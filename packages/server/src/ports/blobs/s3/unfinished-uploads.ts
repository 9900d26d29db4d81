import { isDeepStrictEqual } from 'node:util'
import { ListMultipartUploadsCommand, type S3Client } from '@aws-sdk/client-s3'

/** Multipart uploads that were neither completed nor aborted, with the name of their object. The SDK has no paginator for them. */
export async function* unfinishedUploads(
  client: S3Client,
  place: { readonly Bucket: string; readonly Prefix: string },
  options: { readonly abortSignal?: AbortSignal } = {},
): AsyncGenerator<{ readonly name: string; readonly id: string }> {
  let start: { KeyMarker: string | undefined; UploadIdMarker: string | undefined } | undefined
  for (;;) {
    const page = await client.send(new ListMultipartUploadsCommand({ ...place, ...start }), options)
    for (const { Key, UploadId } of page.Uploads ?? [])
      if (Key !== undefined && UploadId !== undefined) yield { name: Key, id: UploadId }
    if (page.IsTruncated !== true) return
    const next = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
    if (next.KeyMarker === undefined || isDeepStrictEqual(next, start))
      throw new Error('The list of unfinished uploads has the same page again.')
    start = next
  }
}
