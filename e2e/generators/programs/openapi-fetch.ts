import createClient from 'openapi-fetch'
import type { paths } from './generated'
import { bytes, report, token, url, zip } from './given'

const api = createClient<paths>({ baseUrl: url, headers: { authorization: `Bearer ${token}` } })

const upload = await api.POST('/v1/files/upload', { body: { name: 'a.txt', content: bytes, media_type: 'text/plain' } })
const form = new FormData()
form.append('content', new Blob(['hello']), 'form.txt')
const sent = await api.POST('/v1/files/upload', { body: form })
const part = await api.POST('/v1/files/upload-chunk', {
  params: { query: { index: 0, size: 5 } },
  body: new Blob(['hello']),
  bodySerializer: (body) => body,
  headers: { 'Content-Type': 'application/octet-stream' },
})
const upload_id = part.data?.data.upload_id ?? 0
const finished = await api.POST('/v1/files/upload-finalize', { body: { upload_id, name: 'b.txt', parts: 1 } })
const artifacts = [{ name: 'a.txt', content: bytes }]
const published = await api.POST('/v1/packages/publish', {
  body: { slug: 'openapi-fetch', version: '1.0.0', artifacts },
})
const deployed = await api.POST('/v1/sites/deploy', { body: { name: 'openapi-fetch', archive: zip } })
const unknown = await api.POST('/v1/sites/deploy', { body: { name: 'openapi-fetch', archive: 'AAAA' } })

report({
  uploaded: (upload.data?.data.size ?? 0) && sent.data?.data.size,
  finished: finished.data?.data.name,
  published: published.data?.data.published.version,
  deployed: deployed.data?.data.name,
  error: unknown.error?.error,
})
