import { Type } from 'typebox'
import { fileKinds, fileNameMaxBytes } from '../limits.js'
import { added, byRule, open, operation } from '../operation.js'
import { declaredSize, exampleUpload, OpenUpload } from './file-upload.js'
import {
  closed,
  fileNamePattern,
  Id,
  idBounds,
  Nullable,
  PageData,
  PageQuery,
  PathId,
  plainTextPattern,
  Time,
} from '../schema.js'

/** Personal files, their sharing, and large uploads in parts (specification, section 4.5). */

export * from './file-usage.js'

/** Type, subtype and parameters in the characters of RFC 6838, section 4.2: a header contains the value unchanged. */
export const mediaTypePattern =
  '^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*(; ?[A-Za-z0-9_-]+=("[A-Za-z0-9 _.+/:-]*"|[A-Za-z0-9_.+-]+))*$'

const name = {
  ...byRule({ minLength: 1, maxLength: fileNameMaxBytes, pattern: fileNamePattern }),
  description: `Name of the downloaded file: at most ${String(fileNameMaxBytes)} bytes in UTF-8, no slashes, and valid on Windows`,
}
const mediaType = {
  maxLength: 255,
  pattern: mediaTypePattern,
  description: 'Media type of the download, such as text/plain; derived from the name by default',
}
const shared = { description: 'Whether the file has a share link' }

export const File = Type.Object(
  {
    id: Id('Id of the file'),
    name: Type.String({ description: 'Download name' }),
    size: Type.Integer({ minimum: 0, description: 'Bytes' }),
    media_type: Type.String({ description: 'Media type of the download' }),
    sha256: Type.String({ description: 'SHA-256 of the contents, in lower-case hexadecimal' }),
    shared: Type.Boolean(shared),
    share_url: Nullable(Type.String({ format: 'uri' }), {
      description:
        'Share link; null if not shared. It keeps working after a rename, because the key alone identifies the file',
    }),
    created_at: Time('When it was uploaded'),
    updated_at: Time('When its details were last changed'),
  },
  open('The fields of a file are not shown beyond its id, share link and download name.'),
)

const exampleFile = {
  id: 7,
  name: 'notes.txt',
  size: 5,
  media_type: 'text/plain',
  sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
  shared: true,
  share_url: 'http://content.localhost:8080/s/k3VbX9wq2LmZ7aTr0Yc1Dw/notes.txt',
  created_at: '2026-11-20T09:30:00.000Z',
  updated_at: '2026-11-20T09:30:00.000Z',
}

/** The limit of S3 for one object, so that every blob store can hold an upload. */
export const uploadPartsMax = 10_000

const parts = 'The sending and assembling of a large upload are not shown.'
const body = 'The body of this request is not shown.'
const ids = 'The name of the id in the query is not shown.'

export const list = operation({
  id: 'files.list',
  method: 'GET',
  path: '/v1/files',
  access: { anyOf: ['files:read', 'files:write'] },
  summary: 'List own files, newest first',
  description: 'With `search`, `kind` or `shared`, the pages and `total` have only the files that fit all of them.',
  query: Type.Object({
    ...PageQuery,
    search: Type.Optional(
      Type.String(
        added({
          ...byRule({ pattern: plainTextPattern }),
          maxLength: fileNameMaxBytes,
          description: 'Only files with this text in their names; the case of A to Z does not matter',
        }),
      ),
    ),
    kind: Type.Optional(
      Type.Enum([...fileKinds], added({ description: 'Only files of this kind, by their media type' })),
    ),
    shared: Type.Optional(
      Type.Boolean(added({ description: 'Only files with a share link; if false, those without' })),
    ),
  }),
  data: Type.Object({ files: Type.Array(File, open('The fields of a file are not shown.')), ...PageData }),
  example: { query: { limit: 100 }, data: { files: [exampleFile], next: null, total: 1 } },
})

export const get = operation({
  id: 'files.get',
  method: 'GET',
  path: '/v1/files/{id}',
  access: { anyOf: ['files:read', 'files:write'] },
  summary: 'Get one file, with its share link if any',
  params: Type.Object({ id: PathId('Id of the file') }),
  data: File,
  errors: ['not_found', 'forbidden'],
  example: { params: { id: '7' }, data: exampleFile },
})

export const download = operation({
  id: 'files.download',
  method: 'GET',
  path: '/v1/files/download',
  access: { anyOf: ['files:read', 'files:write'] },
  kind: 'stream',
  summary: 'Download a file',
  description:
    'The bytes, as an attachment with the download name. Range, If-Range and the conditions of RFC 9110, section 13, are supported. To continue a download, send Range with If-Range or If-Match. 400 if If-Match or If-Unmodified-Since names another version, and for a Range that begins at or after the end: the download is already complete.',
  open: 'The form of a download is not shown: bytes without an envelope, with an ETag and a file name as in RFC 6266. A failed condition (412) and a Range without a byte (416) are 400, because the table of codes is closed.',
  query: Type.Object({ id: Type.Integer(open(ids, { ...idBounds, description: 'Id of the file' })) }),
  produces: ['*/*'],
  errors: ['not_found', 'forbidden', 'upstream_error'],
  example: { query: { id: 7 } },
})

export const upload = operation({
  id: 'files.upload',
  method: 'POST',
  path: '/v1/files/upload',
  access: { anyOf: ['files:write'] },
  summary: 'Upload a file',
  body: Type.Object(
    {
      name: Type.String(name),
      content: Type.String({ contentEncoding: 'base64', description: 'The bytes in base64' }),
      media_type: Type.Optional(Type.String(mediaType)),
      shared: Type.Optional(Type.Boolean({ default: false, ...shared })),
    },
    open(body, closed),
  ),
  bytes: { field: 'content', name: 'name', mediaType: 'media_type' },
  otherBodies: {
    'multipart/form-data':
      'For forms and `curl -F`: the bytes as one file part, whose file name and type are the defaults of `name` and `media_type`; the other fields as form fields.',
    'application/octet-stream':
      'For `curl --data-binary` and scripts: the bytes of the file, with the other fields in the query.',
  },
  data: File,
  errors: ['upstream_error'],
  example: {
    body: { name: 'notes.txt', content: 'aGVsbG8=', media_type: 'text/plain', shared: true },
    data: exampleFile,
  },
})

export const update = operation({
  id: 'files.update',
  method: 'POST',
  path: '/v1/files/update',
  access: { anyOf: ['files:write'] },
  summary: 'Edit file details, including whether it is shared',
  open: 'A file that is shared again gets a new link; the old link stays invalid.',
  body: Type.Object(
    {
      id: Id('Id of the file'),
      name: Type.Optional(Type.String(name)),
      shared: Type.Optional(Type.Boolean(shared)),
      media_type: Type.Optional(Type.String(mediaType)),
    },
    open(`${body} Only supplied fields change.`, closed),
  ),
  data: File,
  // The edge must drop its copy of a shared file.
  errors: ['not_found', 'forbidden', 'upstream_error'],
  example: { body: { id: 7, shared: true }, data: exampleFile },
})

export const rename = operation({
  id: 'files.rename',
  method: 'POST',
  path: '/v1/files/rename',
  access: { anyOf: ['files:write'] },
  summary: 'Change the name the file downloads as',
  body: Type.Object({ id: Id('Id of the file'), name: Type.String(name) }, open(body, closed)),
  data: File,
  errors: ['not_found', 'forbidden', 'upstream_error'],
  example: { body: { id: 7, name: 'notes.txt' }, data: exampleFile },
})

const remove = operation({
  id: 'files.delete',
  method: 'POST',
  path: '/v1/files/delete',
  access: { anyOf: ['files:write'] },
  summary: 'Delete a file and its contents',
  body: Type.Object({ id: Id('Id of the file') }, open(body, closed)),
  data: Type.Object(
    { id: Id('Id of the deleted file'), deleted: Type.Literal(true) },
    open('The answer is not shown: the id and `deleted`.'),
  ),
  errors: ['not_found', 'forbidden', 'upstream_error'],
  example: { body: { id: 7 }, data: { id: 7, deleted: true } },
})

export { remove as delete }

export const uploadChunk = operation({
  id: 'files.uploadChunk',
  method: 'POST',
  path: '/v1/files/upload-chunk',
  access: { anyOf: ['files:write'] },
  summary: 'Send one part of a large upload',
  description: 'A part with the same index replaces the earlier one. An unfinished upload expires after a day.',
  body: Type.Object(
    {
      upload_id: Type.Optional(
        Id('Id of the upload, from the answer to the first part; leave it out in the first part'),
      ),
      index: Type.Integer({ minimum: 0, maximum: uploadPartsMax - 1, description: 'Index of the part, from 0' }),
      content: Type.String({ contentEncoding: 'base64', description: 'The bytes of the part in base64' }),
      size: Type.Optional(Type.Integer(declaredSize)),
    },
    open(parts, closed),
  ),
  bytes: { field: 'content' },
  otherBodies: {
    'application/octet-stream': 'The fast way: the bytes of the part, with the other fields in the query.',
  },
  data: Type.Object(
    {
      upload_id: Id('Id of the upload, for the next parts'),
      index: Type.Integer({ description: 'Index of the part' }),
      size: Type.Integer({ description: 'Bytes in the part' }),
      received: Type.Array(Type.Integer(), { description: 'The received indexes, in order' }),
    },
    open(parts),
  ),
  errors: ['not_found', 'forbidden', 'upstream_error'],
  example: { body: { index: 0, content: 'aGVsbG8=' }, data: { upload_id: 3, index: 0, size: 5, received: [0] } },
})

export const uploadFinalize = operation({
  id: 'files.uploadFinalize',
  method: 'POST',
  path: '/v1/files/upload-finalize',
  access: { anyOf: ['files:write'] },
  summary: 'Assemble the parts into a file',
  description: 'If parts are missing, the message lists them. If `sha256` does not match, the parts are kept.',
  body: Type.Object(
    {
      upload_id: Id('Id of the upload'),
      name: Type.String(name),
      parts: Type.Integer({ minimum: 1, maximum: uploadPartsMax, description: 'Number of parts' }),
      sha256: Type.Optional(
        Type.String({
          pattern: '^[0-9A-Fa-f]{64}$',
          description: 'SHA-256 of the whole file in 64 hexadecimal digits, to compare',
        }),
      ),
      media_type: Type.Optional(Type.String(mediaType)),
      shared: Type.Optional(Type.Boolean({ default: false, ...shared })),
    },
    open(parts, closed),
  ),
  data: File,
  errors: ['not_found', 'forbidden', 'upstream_error'],
  example: {
    body: {
      upload_id: 3,
      name: 'notes.txt',
      parts: 1,
      sha256: exampleFile.sha256,
      media_type: 'text/plain',
      shared: true,
    },
    data: exampleFile,
  },
})

export const uploadList = operation({
  id: 'files.uploadList',
  method: 'GET',
  path: '/v1/files/uploads',
  access: { anyOf: ['files:read', 'files:write'] },
  addition: true,
  summary: 'List own unfinished uploads, newest first',
  description: 'Their parts count against the storage of the account until they are finished, discarded or expire.',
  query: Type.Object(PageQuery),
  data: Type.Object({ uploads: Type.Array(OpenUpload), ...PageData }, added({})),
  example: { query: { limit: 100 }, data: { uploads: [exampleUpload], next: null, total: 1 } },
})

export const uploadDiscard = operation({
  id: 'files.uploadDiscard',
  method: 'POST',
  path: '/v1/files/uploads/discard',
  access: { anyOf: ['files:write'] },
  addition: true,
  summary: 'Discard an unfinished upload and its parts',
  description: 'The storage that its parts take is free at once.',
  body: Type.Object({ upload_id: Id('Id of the upload') }, added(closed)),
  data: Type.Object({ upload_id: Id('Id of the discarded upload'), discarded: Type.Literal(true) }, added({})),
  errors: ['not_found', 'forbidden'],
  example: { body: { upload_id: 3 }, data: { upload_id: 3, discarded: true } },
})
