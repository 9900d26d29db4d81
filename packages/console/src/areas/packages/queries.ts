import { queryOptions } from '@tanstack/react-query'
import { client } from '../../parts/api/client.js'
import { queryClient } from '../../parts/api/query-client.js'

/** The packages of the account. */
export const packagesQuery = queryOptions({ queryKey: ['packages', 'list'], queryFn: () => client.packages.list() })

/** One package with its versions and artifacts. */
export const packageQuery = (slug: string) =>
  queryOptions({ queryKey: ['packages', 'get', slug], queryFn: () => client.packages.get({ slug }) })

type Answer = Awaited<ReturnType<typeof client.packages.get>>
export type Package = Answer['package']
export type Version = Answer['versions'][number]
export type Artifact = Version['artifacts'][number]

/** Reads packages again, after a write. */
export const refreshPackages = (queryKey: readonly string[] = ['packages']) =>
  queryClient.invalidateQueries({ queryKey })
