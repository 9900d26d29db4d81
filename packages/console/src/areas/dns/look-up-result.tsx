import { Alert, Code, List, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { formatTime } from '../../parts/format.js'
import type { Verification } from './queries.js'

type LookUp = NonNullable<Verification['lookup']>
type Resolver = LookUp['resolvers'][number]

/** Why a check did not verify the zone: what was looked up, what was expected, and what each resolver answered. */
export function LookUpResult({ result: { note, lookup } }: { readonly result: Verification }) {
  return (
    <Alert color="orange" icon={<IconAlertTriangle size={18} />} title="Not verified yet" role="status">
      {lookup === undefined ? <Text size="sm">{note}</Text> : <Details lookup={lookup} />}
    </Alert>
  )
}

function Details({ lookup: { type, name, expected, looked_up_at: at, resolvers } }: { readonly lookup: LookUp }) {
  return (
    <Stack gap="xs" style={{ overflowWrap: 'anywhere' }}>
      <Text size="sm">
        The {type} record <Code>{name}</Code> was looked up at {formatTime(at)}. Expected:{' '}
        {expected.map((value) => (
          <Code key={value}>{value}</Code>
        ))}
      </Text>
      <List size="sm" spacing={4}>
        {resolvers.map((resolver) => (
          <List.Item key={resolver.resolver}>
            <Code>{resolver.resolver}</Code> {meanings[resolver.result](type)}
            {resolver.values.length > 0 && <Values {...resolver} />}
          </List.Item>
        ))}
      </List>
    </Stack>
  )
}

function Values({ values, more }: Resolver) {
  return (
    <>
      {values.map((value, at) => (
        <span key={at}>
          {' '}
          <Code>{value}</Code>
        </span>
      ))}
      {more > 0 && ` and ${String(more)} more.`}
    </>
  )
}

/** What each result means, and what to do. */
const meanings: Readonly<Record<Resolver['result'], (type: string) => string>> = {
  found: () => 'found other values. If you have just changed them, wait until the TTL of the old ones has passed:',
  nxdomain: () => 'answered that the name does not exist. Create the record at exactly this name.',
  no_data: (type) => `answered that the name has no ${type} record. Check the type of your record.`,
  servfail: () => "could not resolve the name. The zone's nameservers fail, or its DNSSEC is invalid.",
  refused: () => 'refused the query: tell the operator of this server.',
  invalid: () => 'answered with an error.',
  timeout: () => 'did not answer in time. Check again.',
  unreachable: () => 'could not be reached. Check again, or tell the operator of this server.',
}
