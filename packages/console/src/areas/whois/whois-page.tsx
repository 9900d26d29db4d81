import { Alert, Anchor, Button, Group, Paper, Stack, Text, TextInput, Title } from '@mantine/core'
import { IconCircleCheck, IconId, IconSearch } from '@tabler/icons-react'
import { SvcError } from '@svc/client'
import { areas } from '@svc/contract'
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { useState, useSyncExternalStore } from 'react'
import { Link, useSearchParams } from 'react-router'
import { EmptyState } from '../../parts/empty-state.js'
import { ErrorNote } from '../../parts/errors.js'
import { searchField } from '../../parts/key-targets.js'
import { Page } from '../../parts/page.js'
import { Lines } from '../../parts/query-view.js'
import { fieldOf } from '../../parts/schema.js'
import { problemOf } from '../../parts/use-submit.js'
import { lookedUp, subscribeHistory } from '../../parts/registration/history.js'
import { registrationQuery, type Registration } from '../../parts/registration/queries.js'
import { Hint } from '../../parts/text.js'
import { RegistrationCard } from './registration-card.js'

/** Registration data of any domain: its registrar, expiry date and nameservers. */
export function WhoisPage() {
  const [parameters] = useSearchParams()
  const domain = parameters.get('domain')?.trim() ?? ''
  const query = useQuery(registrationQuery(domain))
  const about = problemOf(query.error, ['domain'], { domain })
  return (
    <Page
      title="WHOIS"
      lead="See the registrar, the expiry date and the nameservers of any domain. svc asks its registry by RDAP or WHOIS."
      requests={[{ op: areas.whois.lookup, ...(domain !== '' && { input: { domain } }) }]}
    >
      <Search domain={domain} problem={about?.text} isPending={query.isFetching} />
      {domain === '' ? (
        <EmptyState icon={IconId} title="Look up a domain">
          Enter a domain such as example.com. The registry learns that this server asks, but not who you are.
        </EmptyState>
      ) : (
        // The message about a refused name is at the field.
        about === undefined && <Result query={query} domain={domain} />
      )}
      <History />
    </Page>
  )
}

interface SearchProps {
  readonly domain: string
  readonly problem: string | undefined
  readonly isPending: boolean
}

function Search({ domain, problem, isPending }: SearchProps) {
  const [, setParameters] = useSearchParams()
  const [text, setText] = useState(domain)
  const [shown, setShown] = useState(domain)
  // Another lookup was opened, such as with the back button or from the list below.
  if (shown !== domain) {
    setShown(domain)
    setText(domain)
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        setParameters({ domain: text.trim() })
      }}
    >
      <Group align="flex-start" gap="xs">
        <TextInput
          {...searchField}
          aria-label="Domain"
          placeholder="example.com"
          leftSection={<IconSearch size={16} />}
          flex={1}
          maw={480}
          required
          autoFocus={domain === ''}
          spellCheck={false}
          autoCapitalize="none"
          inputMode="url"
          maxLength={fieldOf(areas.whois.lookup, 'domain').maxLength}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          error={problem}
        />
        <Button type="submit" loading={isPending}>
          Look up
        </Button>
      </Group>
    </form>
  )
}

interface ResultProps {
  readonly query: UseQueryResult<Registration>
  readonly domain: string
}

function Result({ query, domain }: ResultProps) {
  const { data, error } = query
  if (data) return <RegistrationCard registration={data} />
  if (error === null) return <Lines count={4} />
  if (error instanceof SvcError && error.code === 'not_found') return <NotRegistered domain={domain} error={error} />
  return <ErrorNote title="No registration data" error={error} retry={() => void query.refetch()} />
}

function NotRegistered({ domain, error }: { readonly domain: string; readonly error: SvcError }) {
  return (
    <Alert color="teal" icon={<IconCircleCheck size={18} />} title={`${domain} is not registered`}>
      <Text size="sm">{error.message} You can register it at a registrar of your choice.</Text>
    </Alert>
  )
}

const outcomeText = { registered: 'registered', free: 'not registered' } as const

/** The lookups since the console was opened. They are in memory only. */
function History() {
  const entries = useSyncExternalStore(subscribeHistory, lookedUp)
  if (entries.length === 0) return null
  return (
    <Paper withBorder p="md" component="section" aria-label="Recent lookups">
      <Title order={2} size="h5" mb="xs">
        Recent lookups
      </Title>
      <Stack gap={4}>
        {entries.map(({ domain, outcome }) => (
          <Group key={domain} gap="xs" wrap="nowrap">
            <Anchor
              component={Link}
              to={{ search: new URLSearchParams({ domain }).toString() }}
              size="sm"
              style={{ overflowWrap: 'anywhere' }}
            >
              {domain}
            </Anchor>
            <Hint>{outcomeText[outcome]}</Hint>
          </Group>
        ))}
      </Stack>
    </Paper>
  )
}
