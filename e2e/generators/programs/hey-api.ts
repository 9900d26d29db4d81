import { client } from './generated/client.gen'
import { filesUpload, filesUploadChunk, filesUploadFinalize, packagesPublish, sitesDeploy } from './generated/sdk.gen'
import { bytes, report, token, url, zip } from './given'

client.setConfig({ baseUrl: url, auth: token })

const upload = await filesUpload({
  body: { name: 'a.txt', content: bytes, media_type: 'text/plain' },
  throwOnError: true,
})
const part = await filesUploadChunk({ body: { index: 0, content: bytes, size: 5 }, throwOnError: true })
const { upload_id } = part.data.data
const finished = await filesUploadFinalize({ body: { upload_id, name: 'b.txt', parts: 1 }, throwOnError: true })
const artifacts = [{ name: 'a.txt', content: bytes }]
const published = await packagesPublish({ body: { slug: 'hey-api', version: '1.0.0', artifacts }, throwOnError: true })
const deployed = await sitesDeploy({ body: { name: 'hey-api', archive: zip }, throwOnError: true })
const unknown = await sitesDeploy({ body: { name: 'hey-api', archive: 'AAAA' } })

report({
  uploaded: upload.data.data.size,
  finished: finished.data.data.name,
  published: published.data.data.published.version,
  deployed: deployed.data.data.name,
  error: unknown.error?.error,
})
