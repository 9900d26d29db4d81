import { Anchor, Badge, Button, Collapse, Group, List, Paper, Stack, Text, UnstyledButton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconChevronDown, IconRefresh } from '@tabler/icons-react'
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { isPublicName } from '@svc/contract'
import { Link } from 'react-router'
import { ErrorNote } from '../../parts/errors.js'
import { formatTime } from '../../parts/format.js'
import { CardTitle, Note } from '../../parts/text.js'
import { useIsNarrow } from '../../parts/use-is-narrow.js'
import { delegationText } from './delegation-text.js'
import { Names, NotPublic } from './nameservers.js'
import { delegationQuery, type Claim, type Delegation as Found } from './queries.js'

/** A verified zone: whether the public DNS has the nameservers of this server, and until then what to set at the registrar. */
export function Delegation({ claim: { zone, verification } }: { readonly claim: Claim }) {
  const names = verification.expected_ns
  const isPublic = [zone, ...names].every(isPublicName)
  const query = useQuery({ ...delegationQuery(zone), enabled: isPublic })
  if (!isPublic) return <NameserverCard zone={zone} names={names} />
  if (query.isPending) return <State query={query}>Looking up the nameservers of {zone} …</State>
  if (query.data?.state === 'live')
    return (
      <State query={query}>
        <Badge color="teal" variant="light" tt="none" c="var(--mantine-color-text)" mr="xs">
          Live
        </Badge>
        <Text span inherit visibleFrom="sm">
          {delegationText(query.data)}
        </Text>
      </State>
    )
  return <NameserverCard zone={zone} names={names} query={query} />
}

type Query = UseQueryResult<Found>

/** One line, as high before the answer as after it. */
const State = ({ query, children }: { readonly query: Query; readonly children: ReactNode }) => (
  <Group gap="xs" wrap="nowrap" justify="space-between">
    <Text size="sm" role="status" style={{ overflowWrap: 'anywhere' }}>
      {children}
    </Text>
    <CheckNow query={query} />
  </Group>
)

const CheckNow = ({ query }: { readonly query: Query }) => (
  <Button
    size="compact-sm"
    variant="subtle"
    leftSection={<IconRefresh size={14} />}
    onClick={() => void query.refetch()}
    loading={query.isFetching}
    style={{ flexShrink: 0 }}
  >
    Check now
  </Button>
)

interface CardProps {
  readonly zone: string
  readonly names: readonly string[]
  /** Missing for names that the public DNS cannot have. */
  readonly query?: Query
}

/** The nameservers to set at the registrar. On a phone it is one line that opens, so that the records are in view. */
function NameserverCard({ zone, names, query }: CardProps) {
  const isNarrow = useIsNarrow()
  const [isOpen, { toggle }] = useDisclosure(false)
  const state = query?.data && delegationText(query.data)
  const checked = query && <Checked query={query} />
  return (
    <Paper withBorder p={{ base: 'xs', sm: 'md' }} radius="md">
      {isNarrow ? (
        <>
          <UnstyledButton onClick={toggle} aria-expanded={isOpen} w="100%">
            <Group gap="xs" wrap="nowrap">
              <CardTitle>Nameservers</CardTitle>
              <Text size="sm" c="dimmed" truncate flex={1}>
                {!isOpen && (state ?? names.join(', '))}
              </Text>
              <IconChevronDown size={16} aria-hidden style={{ rotate: isOpen ? '180deg' : undefined }} />
            </Group>
          </UnstyledButton>
          <Collapse expanded={isOpen}>
            <Stack gap="xs" mt="xs">
              {checked}
              <Note>{whatToSet(zone)}</Note>
              <Names names={names} />
              <Steps zone={zone} />
            </Stack>
          </Collapse>
        </>
      ) : (
        <Stack gap="xs">
          <Group justify="space-between" align="flex-start">
            <div>
              <CardTitle>Nameservers</CardTitle>
              <Note>{whatToSet(zone)}</Note>
            </div>
            <Button size="compact-sm" variant="subtle" onClick={toggle} aria-expanded={isOpen}>
              How to do this
            </Button>
          </Group>
          <Names names={names} />
          {checked}
          <Collapse expanded={isOpen}>
            <Steps zone={zone} />
          </Collapse>
        </Stack>
      )}
      <NotPublic names={names} />
    </Paper>
  )
}

/** What the last check found, and the button for the next one. */
const Checked = ({ query }: { readonly query: Query }) => (
  <>
    <State query={query}>
      {query.data && (
        <>
          {delegationText(query.data)}{' '}
          <Text span size="xs" c="dimmed">
            Checked at {formatTime(query.data.lookup.looked_up_at)}
          </Text>
        </>
      )}
    </State>
    {query.isError && <ErrorNote error={query.error} title="The check failed" />}
  </>
)

const whatToSet = (zone: string): string => `Set these at the registrar of ${zone}, in place of all others.`

/** How to set the nameservers. */
const Steps = ({ zone }: { readonly zone: string }) => (
  <List size="sm" type="ordered" mt="xs">
    <List.Item>Add your records below first, so that nothing is missing when the domain moves here.</List.Item>
    <List.Item>
      Sign in at the company where you registered {zone}, open its nameserver settings, and replace them.
    </List.Item>
    <List.Item>
      If the registrar shows DNSSEC as active, switch it off there a day before: with the old keys, the domain would be
      unreachable.
    </List.Item>
    <List.Item>
      Wait until the change has spread, from minutes to two days. Then{' '}
      <Anchor component={Link} to={`/whois?domain=${encodeURIComponent(zone)}`} inherit underline="always">
        the registry
      </Anchor>{' '}
      and the command{' '}
      <Text span ff="monospace" size="sm">
        dig NS {zone}
      </Text>{' '}
      show the names above.
    </List.Item>
  </List>
)
