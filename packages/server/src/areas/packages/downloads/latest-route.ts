import { artifactNamePattern, slugPattern } from '@svc/contract/limits'
import type { EndpointRoute } from '../../../http/area.js'
import { ContentError } from '../../../http/answer.js'
import { turns } from '../../../shared/turns.js'
import { sortVersions } from '../versions/version.js'
import type { ArtifactStore } from './artifact-store.js'

const slugs = new RegExp(slugPattern)
const names = new RegExp(artifactNamePattern)

/** Redirects to artifacts of the highest release, for install scripts. It is not a download. */
export function latestRoutes(artifacts: ArtifactStore): readonly EndpointRoute[] {
  // A package may have thousands of versions, and the addresses are public.
  const oneEachTurn = turns()
  const route = { methods: ['GET', 'HEAD'], maxBodyBytes: 0 } as const
  return [
    {
      ...route,
      name: 'content.package_latest',
      path: '/p/:slug/latest/:artifact',
      answer: async ({ params }) => {
        const { slug = '', artifact: name = '' } = params
        // PostgreSQL would refuse some other texts, such as a NUL, with an error.
        const isName = slugs.test(slug) && names.test(name)
        const [latest] = sortVersions(isName ? await oneEachTurn(() => artifacts.releasesWith(slug, name)) : [])
        if (latest === undefined) throw new ContentError(404, 'There is nothing at this address.')
        return redirectTo(slug, latest.version, name)
      },
    },
    {
      ...route,
      name: 'content.package_only',
      path: '/p/:slug/latest',
      answer: async ({ params: { slug = '' } }) => {
        const [latest] = sortVersions(slugs.test(slug) ? await oneEachTurn(() => artifacts.releases(slug)) : [])
        if (latest === undefined) throw new ContentError(404, 'There is nothing at this address.')
        const name = await artifacts.onlyName(latest.id)
        if (name === undefined)
          throw new ContentError(
            404,
            `Version ${latest.version} has several artifacts: add /<artifact> to the address.`,
          )
        return redirectTo(slug, latest.version, name)
      },
    },
  ]
}

const redirectTo = (slug: string, version: string, name: string) => ({
  status: 302,
  headers: { location: `/p/${slug}/${version}/${name}` },
})
