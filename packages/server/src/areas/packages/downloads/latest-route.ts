import { artifactNamePattern, slugPattern } from '@svc/contract/limits'
import type { EndpointRoute } from '../../../http/area.js'
import { ContentError } from '../../../http/answer.js'
import { turns } from '../../../shared/turns.js'
import { sortVersions } from '../versions/version.js'
import type { ArtifactStore } from './artifact-store.js'

const slugs = new RegExp(slugPattern)
const names = new RegExp(artifactNamePattern)

/** Redirects to the artifact of the highest release that has it, for install scripts. It is not a download. */
export function latestRoute({ releasesWith }: ArtifactStore): EndpointRoute {
  // A package may have thousands of versions, and the address is public.
  const oneEachTurn = turns()
  return {
    name: 'content.package_latest',
    path: '/p/:slug/latest/:artifact',
    methods: ['GET', 'HEAD'],
    maxBodyBytes: 0,
    answer: async ({ params }) => {
      const { slug = '', artifact: name = '' } = params
      // PostgreSQL would refuse some other texts, such as a NUL, with an error.
      const releases = slugs.test(slug) && names.test(name) ? await oneEachTurn(() => releasesWith(slug, name)) : []
      const [latest] = sortVersions(releases)
      if (latest === undefined) throw new ContentError(404, 'There is nothing at this address.')
      return { status: 302, headers: { location: `/p/${slug}/${latest.version}/${name}` } }
    },
  }
}
