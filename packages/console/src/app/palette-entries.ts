import { queryOptions } from '@tanstack/react-query'
import type { Command } from '../parts/area.js'
import { client } from '../parts/api/client.js'

const named = (area: string, names: readonly string[]): readonly [string, readonly Command[]] => [
  area,
  names.map((name) => ({ label: name, path: `${area}/${encodeURIComponent(name)}` })),
]

/** The zones, domains and sites of the user as entries of the command palette, by the path of their area. */
export const paletteEntries = queryOptions({
  queryKey: ['palette', 'paletteEntries'],
  queryFn: async () => {
    const [{ zones }, { domains }, { sites }] = await Promise.all([
      client.dns.zoneList(),
      client.domains.list(),
      client.sites.list(),
    ])
    return new Map([
      named(
        'dns',
        zones.map(({ zone }) => zone),
      ),
      named(
        'domains',
        domains.map(({ domain }) => domain),
      ),
      named(
        'sites',
        sites.map(({ name }) => name),
      ),
    ])
  },
  staleTime: 30_000,
})
