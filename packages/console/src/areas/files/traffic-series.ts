/** The parts of the requests for shared files, in the order in which charts stack them. */
export const trafficSeries = [
  { name: 'hits', label: 'From the cache', color: 'brand.6' },
  { name: 'misses', label: 'Fetched', color: 'orange.6' },
  { name: 'others', label: 'Others, such as HEAD and 304', color: 'gray.5' },
] as const
