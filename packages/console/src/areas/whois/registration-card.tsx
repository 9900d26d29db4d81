import { Badge, Button, Code, Collapse, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconChevronDown, IconChevronRight, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { client } from '../../parts/api/client.js'
import { queryClient } from '../../parts/api/query-client.js'
import { CopyIcon } from '../../parts/copy.js'
import { DecodedName } from '../../parts/decoded-name.js'
import { Fact } from '../../parts/fact.js'
import { formatDate, formatTime } from '../../parts/format.js'
import { notifyDone, notifyError } from '../../parts/notify.js'
import { TimeAgo } from '../../parts/time.js'
import { useSingleMutation } from '../../parts/use-single-mutation.js'
import { Expiry } from '../../parts/registration/expiry-view.js'
import { Dnssec, Facts, Nameservers, notPublished, Statuses } from '../../parts/registration/facts.js'
import { domainsQuery, type Registration } from '../../parts/registration/queries.js'

const sourceText = { rdap: 'RDAP', whois: 'WHOIS' } as const

/** The registration data of a domain. */
export function RegistrationCard({ registration }: { readonly registration: Registration }) {
  const { domain, registrar, created_at, updated_at, expires_at, nameservers, statuses, dnssec, source, raw } =
    registration
  return (
    <Paper withBorder p={{ base: 'md', sm: 'lg' }} component="section" aria-label={`Registration of ${domain}`}>
      <Stack>
        <Group justify="space-between" align="flex-start">
          <div>
            <Group gap="xs">
              <Title order={2} size="h3" style={{ overflowWrap: 'anywhere' }}>
                {domain}
              </Title>
              <Badge variant="default">{sourceText[source]}</Badge>
            </Group>
            <DecodedName text={domain} />
            <Freshness {...registration} />
          </div>
          <InPortfolio domain={domain} />
        </Group>
        <Facts>
          <Fact label="Registrar">{registrar ?? notPublished}</Fact>
          <Fact label="Expiry">
            <Expiry at={expires_at} unknown="Not published" />
          </Fact>
          <Fact label="Registered">{created_at === null ? notPublished : formatDate(created_at)}</Fact>
          <Fact label="Last changed">{updated_at === null ? notPublished : formatDate(updated_at)}</Fact>
          <Fact label="Nameservers">
            <Nameservers names={nameservers} />
          </Fact>
          <Fact label="DNSSEC">
            <Dnssec isSigned={dnssec} />
          </Fact>
          <Fact label="Status">
            <Statuses statuses={statuses} />
          </Fact>
        </Facts>
        {raw !== null && <RawText text={raw} />}
      </Stack>
    </Paper>
  )
}

/** When the registry was asked, and whether this is a saved answer. */
function Freshness({ cached, fetched_at }: Registration) {
  return (
    <Text size="sm" c="dimmed" component="div">
      {cached ? (
        <>
          Saved answer: the registry answered <TimeAgo at={fetched_at} />
        </>
      ) : (
        <>The registry answered at {formatTime(fetched_at)}</>
      )}
    </Text>
  )
}

function InPortfolio({ domain }: { readonly domain: string }) {
  const { data } = useQuery(domainsQuery)
  const add = useSingleMutation({
    mutationFn: () => client.domains.add({ domains: [domain] }),
    onSuccess: async () => {
      notifyDone(`${domain} is added to your domains.`)
      await queryClient.invalidateQueries({ queryKey: domainsQuery.queryKey })
    },
    onError: notifyError,
  })
  if (data?.domains.some((own) => own.domain === domain))
    return (
      <Button variant="default" size="xs" component={Link} to={`/domains?domain=${encodeURIComponent(domain)}`}>
        In your domains
      </Button>
    )
  return (
    <Button size="xs" leftSection={<IconPlus size={16} />} loading={add.isPending} onClick={() => add.mutate()}>
      Add to your domains
    </Button>
  )
}

/** The text of a WHOIS answer. */
function RawText({ text }: { readonly text: string }) {
  const [isOpen, { toggle }] = useDisclosure(false)
  const Arrow = isOpen ? IconChevronDown : IconChevronRight
  return (
    <div>
      <Group gap={4}>
        <Button
          variant="subtle"
          size="compact-sm"
          px={4}
          leftSection={<Arrow size={16} />}
          aria-expanded={isOpen}
          onClick={toggle}
        >
          Text of the WHOIS answer
        </Button>
        <CopyIcon value={text} what="the text" />
      </Group>
      <Collapse expanded={isOpen}>
        <Code
          block
          mt="xs"
          mah={480}
          tabIndex={0}
          style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', overflowY: 'auto' }}
        >
          {text}
        </Code>
      </Collapse>
    </div>
  )
}
