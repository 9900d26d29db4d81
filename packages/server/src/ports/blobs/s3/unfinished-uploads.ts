import { ListMultipartUploadsCommand, type ListMultipartUploadsCommandOutput, type S3Client } from '@aws-sdk/client-s3'

/** Multipart uploads that were neither completed nor aborted, with the name of their object. The SDK has no paginator for them. */
export async function* unfinishedUploads(
  client: S3Client,
  Bucket: string,
  Prefix: string,
): AsyncGenerator<{ readonly name: string; readonly id: string }> {
  let page: ListMultipartUploadsCommandOutput | undefined
  do {
    page = await client.send(
      new ListMultipartUploadsCommand({
        ...{ Bucket, Prefix },
        ...{ KeyMarker: page?.NextKeyMarker, UploadIdMarker: page?.NextUploadIdMarker },
      }),
    )
    for (const { Key, UploadId } of page.Uploads ?? [])
      if (Key !== undefined && UploadId !== undefined) yield { name: Key, id: UploadId }
  } while (page.IsTruncated === true)
}
