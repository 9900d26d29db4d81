import { artifactNamePattern, semverPattern, slugPattern } from '@svc/contract/limits'
import { Download, type DownloadDescription } from '../../../http/answer.js'
import type { ContentRoute } from '../../../http/area.js'
import type { Blobs, ByteRange } from '../../../ports/blobs/port.js'
import type { ArtifactPath, ArtifactStore, ServedArtifact } from './artifact-store.js'
import { HotArtifacts } from './hot-artifacts.js'

interface RouteDependencies {
  readonly blobs: Pick<Blobs, 'open'>
  readonly artifacts: ArtifactStore
  /** Called for each download of a whole artifact. */
  readonly count: (artifact: ServedArtifact) => void
}

const slugs = new RegExp(slugPattern)
const versions = new RegExp(semverPattern)
const names = new RegExp(artifactNamePattern)

/** Downloads of artifacts. They never change, so caches may keep them, also after the package is deleted. */
export function artifactRoute({ blobs, artifacts, count }: RouteDependencies): ContentRoute {
  const hot = new HotArtifacts({ blobs, exists: artifacts.exists, count })
  return {
    name: 'content.package',
    path: '/p/:slug/:version/:artifact',
    findInMemory: ({ url = '' }) => hot.find(url),
    answer: async ({ params }) => {
      const { slug = '', version = '', artifact: name = '' } = params
      // PostgreSQL would refuse some other texts, such as a NUL, with an error.
      if (!slugs.test(slug) || !versions.test(version) || !names.test(name)) return undefined
      const path = { slug, version, name }
      const artifact = await artifacts.find(path)
      return artifact && downloadOf(path, artifact, hot, count)
    },
  }
}

/** Counts an answer that has sent the whole artifact: neither the rest of a resumed download, nor a part. */
function downloadOf(
  { slug, version, name }: ArtifactPath,
  artifact: ServedArtifact,
  hot: HotArtifacts,
  count: RouteDependencies['count'],
): Download {
  const { size, sha256, publishedAt } = artifact
  const description: DownloadDescription = {
    size,
    name,
    etag: `"${sha256}"`,
    lastModified: publishedAt,
    mediaType: 'application/octet-stream',
    disposition: 'attachment',
    headers: { 'cache-control': 'public, max-age=31536000, immutable' },
  }
  const opened: ByteRange[] = []
  return new Download({
    ...description,
    open: (range) => {
      opened.push(range)
      return hot.open(`/p/${slug}/${version}/${name}`, artifact, description, range)
    },
    onSent: (bytes) => {
      const [only, ...others] = opened
      const isWhole = only?.first === 0 && only.last === size - 1 && others.length === 0
      if (isWhole && bytes === size) count(artifact)
    },
  })
}
