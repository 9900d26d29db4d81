import { resolve } from 'node:path'
import type { Config } from '../src/config/config.js'
import type { Row } from './dns-settings.js'

const blobs = (config: Config) => config.blobs

const form = 'must be file:<directory> or s3://<bucket>?endpoint=<url>&region=<region>'
const badBucket = `${form}: a bucket has 3 to 63 lower-case letters, digits, . and -.`
const badEndpoint = `${form}: the endpoint must be an http or https URL without user, password and query.`

/** The store of the bytes of files. */
export const blobsRow: Row = {
  env: 'SVC_BLOBS',
  good: [
    ['file:/var/lib/files', blobs, { kind: 'disk', folder: '/var/lib/files' }],
    ['file:///var/lib/files', blobs, { kind: 'disk', folder: '/var/lib/files' }],
    ['FILE:files', blobs, { kind: 'disk', folder: resolve('files') }],
    ['s3://my-bucket.example', blobs, { kind: 's3', bucket: 'my-bucket.example' }],
    ['s3://bucket/?region=eu-central-1', blobs, { kind: 's3', bucket: 'bucket', region: 'eu-central-1' }],
    [
      's3://bucket?endpoint=http://127.0.0.1:9000/&region=r1',
      blobs,
      { kind: 's3', bucket: 'bucket', endpoint: 'http://127.0.0.1:9000', region: 'r1' },
    ],
    [
      's3://bucket?endpoint=https%3A%2F%2Fstorage.example%2Fs3',
      blobs,
      { kind: 's3', bucket: 'bucket', endpoint: 'https://storage.example/s3' },
    ],
  ],
  bad: [
    ['/var/lib/files', `is "/var/lib/files" but ${form}.`],
    ['ftp://x', `is "ftp://x" but ${form}.`],
    ['file:', `is "file:" but ${form}: the directory is missing.`],
    ['file://files', `is "file://files" but ${form}: a path after file: starts with one slash or none.`],
    ['s3:bucket', `is "s3:bucket" but ${badBucket}`],
    ['s3://', `is "s3://" but ${badBucket}`],
    ['s3://Bucket', `is "s3://Bucket" but ${badBucket}`],
    ['s3://bucket:9000', `is "s3://bucket:9000" but ${badBucket}`],
    ['s3://a b', `is "s3://a b" but ${form}.`],
    ['s3://bucket/folder', `is "s3://bucket/folder" but ${form}, without a path.`],
    ['s3://bucket?key=secret', `is "s3://bucket?***" but ${form}, without other parameters.`],
    [
      's3://id:secret@bucket',
      `is "s3://***@bucket" but ${form}: the credentials are not part of it, svc reads them like every AWS SDK.`,
    ],
    ['s3://bucket?endpoint=storage.example', `is "s3://bucket?***" but ${badEndpoint}`],
    ['s3://bucket?endpoint=https://id:secret@storage.example', `is "s3://***@storage.example" but ${badEndpoint}`],
    [
      's3://bucket?region=eu%20central',
      `is "s3://bucket?***" but ${form}: the region must be letters, digits and -, such as eu-central-1.`,
    ],
  ],
}
