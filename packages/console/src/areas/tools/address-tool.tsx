import { Stack, Text } from '@mantine/core'
import { areas } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { QueryView } from '../../parts/query-view.js'
import { addressQuery, countryQuery } from './queries.js'
import { ResultLine, ToolCard } from './tool-card.js'

const countryNames = new Intl.DisplayNames(undefined, { type: 'region' })

/** The address from which the browser reaches the server, and its country. */
export function AddressTool() {
  const address = useQuery(addressQuery)
  const country = useQuery(countryQuery)
  return (
    <ToolCard id="address" title="Your address" requests={[{ op: areas.public.ip }, { op: areas.public.geo }]}>
      <Stack gap="xs">
        <QueryView query={address}>
          {({ ip, version }) => <ResultLine label="IP address" value={ip} note={`IPv${version}`} />}
        </QueryView>
        <QueryView query={country}>
          {({ country: code }) =>
            code === null ? (
              <Text size="sm">
                Country unknown: the address is not in the country database of the server, as with a private network.
              </Text>
            ) : (
              <ResultLine label="Country" value={code} note={countryNames.of(code)} />
            )
          }
        </QueryView>
      </Stack>
    </ToolCard>
  )
}
