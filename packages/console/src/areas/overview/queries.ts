import { queryOptions } from '@tanstack/react-query'
import { client } from '../../parts/api/client.js'

export type Overview = Awaited<ReturnType<typeof client.overview.show>>

/** The parts of all areas, in one request. */
export const overviewQuery = queryOptions({ queryKey: ['overview'], queryFn: () => client.overview.show() })

export type PartName = keyof Overview['parts']

/** The part of an area that could be read. */
export type PartOf<Name extends PartName> = NonNullable<Overview['parts'][Name]>
