import { Card } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { DayHistory, useDaysToRead } from '../../parts/day-history.js'
import { hitRateText } from './hit-rate.js'
import { trafficQuery } from './queries.js'
import { trafficSeries } from './traffic-series.js'

/** Hits and misses by day. @param id of one file; of all shared files if undefined */
export function TrafficHistory({ id }: { readonly id?: number }) {
  const query = useQuery(trafficQuery(useDaysToRead(), id))
  return (
    <Card withBorder>
      <DayHistory
        title="Requests by day"
        noun="request"
        query={query}
        series={trafficSeries}
        more={(entries) => {
          const sum = (part: 'hits' | 'misses') => entries.reduce((value, entry) => value + entry[part], 0)
          return `, ${hitRateText({ hits: sum('hits'), misses: sum('misses') })} hit rate`
        }}
        hint="Each request for a share link is counted on its day, within seconds."
      />
    </Card>
  )
}
