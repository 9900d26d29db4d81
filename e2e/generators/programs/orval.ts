import { filesUpload, filesUploadChunk, filesUploadFinalize, packagesPublish, sitesDeploy } from './generated'
import { bytes, report, token, zip } from './given'

const options = { headers: { authorization: `Bearer ${token}` } }

const upload = await filesUpload({ name: 'a.txt', content: bytes, media_type: 'text/plain' }, undefined, options)
const part = await filesUploadChunk({ index: 0, content: bytes, size: 5 }, undefined, options)
const upload_id = part.status === 200 ? part.data.data.upload_id : 0
const finished = await filesUploadFinalize({ upload_id, name: 'b.txt', parts: 1 }, options)
const artifacts = [{ name: 'a.txt', content: bytes }]
const published = await packagesPublish({ slug: 'orval', version: '1.0.0', artifacts }, options)
const deployed = await sitesDeploy({ name: 'orval', archive: zip }, undefined, options)
const unknown = await sitesDeploy({ name: 'orval', archive: 'AAAA' }, undefined, options)

report({
  uploaded: upload.status === 200 && upload.data.data.size,
  finished: finished.status === 200 && finished.data.data.name,
  published: published.status === 200 && published.data.data.published.version,
  deployed: deployed.status === 200 && deployed.data.data.name,
  error: unknown.status === 400 && unknown.data.error,
})
