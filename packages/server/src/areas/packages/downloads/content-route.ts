import { artifactNamePattern, semverPattern, slugPattern } from '@svc/contract/limits'
import { Download } from '../../../http/answer.js'
import type { ContentRoute } from '../../../http/area.js'
import type { Blobs, ByteRange } from '../../../ports/blobs/port.js'
import type { ArtifactPath, ServedArtifact } from './artifact-store.js'
import type { Downloads } from './count-store.js'

interface RouteParts {
  readonly blobs: Pick<Blobs, 'open'>
  readonly find: (path: ArtifactPath) => Promise<ServedArtifact | undefined>
  /** Called for each download. */
  readonly count: (artifactId: number, of: Omit<Downloads, 'count'>) => void
}

const slugs = new RegExp(slugPattern)
const versions = new RegExp(semverPattern)
const names = new RegExp(artifactNamePattern)

/** Downloads of artifacts. They never change, so caches may keep them, also after the package is deleted. */
export const artifactRoute = (parts: RouteParts): ContentRoute => ({
  name: 'content.package',
  path: '/p/:slug/:version/:artifact',
  answer: async ({ params }) => {
    const { slug = '', version = '', artifact: name = '' } = params
    // PostgreSQL would refuse some other texts, such as a NUL, with an error.
    if (!slugs.test(slug) || !versions.test(version) || !names.test(name)) return undefined
    const artifact = await parts.find({ slug, version, name })
    return artifact && downloadOf(name, artifact, parts)
  },
})

/** Counts an answer that begins with the first byte and was sent to its end: neither the rest of a download, nor a part of one. */
function downloadOf(name: string, artifact: ServedArtifact, { blobs, count }: RouteParts): Download {
  const { size, sha256, publishedAt } = artifact
  const opened: ByteRange[] = []
  return new Download({
    ...{ size, name, etag: `"${sha256}"`, lastModified: publishedAt },
    ...{ mediaType: 'application/octet-stream', disposition: 'attachment' },
    headers: { 'cache-control': 'public, max-age=31536000, immutable' },
    open: (range) => {
      opened.push(range)
      return blobs.open(artifact.key, range)
    },
    onSent: (bytes) => {
      const [only, ...others] = opened
      if (only?.first === 0 && others.length === 0 && bytes === only.last + 1) count(artifact.id, artifact)
    },
  })
}
