import { Alert, Anchor, Button, Collapse, Group, List, Paper, Stack, Table, Text, UnstyledButton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconAlertTriangle, IconChevronDown, IconInfoCircle, IconRefresh } from '@tabler/icons-react'
import { isPublicName } from '@svc/contract'
import { Link } from 'react-router'
import { client } from '../../parts/api/client.js'
import { CopyText } from '../../parts/copy.js'
import { ErrorNote } from '../../parts/errors.js'
import { notifyDone } from '../../parts/notify.js'
import { CardTitle, Note } from '../../parts/text.js'
import { useIsNarrow } from '../../parts/use-is-narrow.js'
import { useSingleMutation } from '../../parts/use-single-mutation.js'
import { LookUpResult } from './look-up-result.js'
import { zonesChanged, type Claim } from './queries.js'

/** A verified zone: the nameservers to set at the registrar. On a phone it is one line that opens, so that the records are in view. */
export function Delegation({ claim: { zone, verification } }: { readonly claim: Claim }) {
  const isNarrow = useIsNarrow()
  const [isOpen, { toggle }] = useDisclosure(false)
  const names = verification.expected_ns
  return (
    <Paper withBorder p={{ base: 'xs', sm: 'md' }} radius="md">
      {isNarrow ? (
        <>
          <UnstyledButton onClick={toggle} aria-expanded={isOpen} w="100%">
            <Group gap="xs" wrap="nowrap">
              <CardTitle>Nameservers</CardTitle>
              <Text size="sm" c="dimmed" truncate flex={1}>
                {!isOpen && names.join(', ')}
              </Text>
              <IconChevronDown size={16} aria-hidden style={{ rotate: isOpen ? '180deg' : undefined }} />
            </Group>
          </UnstyledButton>
          <Collapse expanded={isOpen}>
            <Stack gap="xs" mt="xs">
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
          <Collapse expanded={isOpen}>
            <Steps zone={zone} />
          </Collapse>
        </Stack>
      )}
      <NotPublic names={names} />
    </Paper>
  )
}

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

const Names = ({ names }: NamesProps) => (
  <Group gap="lg">
    {names.map((name) => (
      <CopyText key={name} value={name} what={name} />
    ))}
  </Group>
)

interface NamesProps {
  readonly names: readonly string[]
}

function NotPublic({ names }: NamesProps) {
  return names.every(isPublicName) ? null : (
    <Alert color="orange" icon={<IconAlertTriangle size={18} />} title="No registrar accepts these names yet" mt="xs">
      They do not exist in the public DNS. The operator of this server must first set SVC_NAMESERVERS to at least two
      public names, then restart svc.
    </Alert>
  )
}

/** A pending zone: how to prove control, and the result of the last check. */
export function PendingZone({ claim: { zone, verification } }: { readonly claim: Claim }) {
  const { name, value, note, expected_ns: nameservers } = verification
  const check = useSingleMutation({
    mutationFn: () => client.dns.zoneVerify({ zone }),
    onSuccess: async ({ verified }) => {
      if (!verified) return
      notifyDone(`${zone} is verified: add its records.`)
      await zonesChanged()
    },
  })
  if (note !== undefined)
    return (
      <Alert color="orange" icon={<IconInfoCircle size={18} />} title="Only the operator can assign this zone">
        {note}
      </Alert>
    )
  return (
    <Paper withBorder p="md" radius="md">
      <Stack>
        <div>
          <CardTitle>Prove that you control {zone}</CardTitle>
          <Text size="sm" c="dimmed" maw={640}>
            {name === undefined
              ? 'Set these nameservers at the registrar, in place of all others. Then check.'
              : 'Another account, or the operator of this server, has this zone. Create this TXT record where the DNS of the domain is now, wait until it is published, then check.'}
          </Text>
        </div>
        {name === undefined || value === undefined ? (
          <div>
            <Names names={nameservers} />
            <NotPublic names={nameservers} />
          </div>
        ) : (
          <Challenge name={name} value={value} />
        )}
        <Group>
          <Button leftSection={<IconRefresh size={16} />} onClick={() => check.mutate()} loading={check.isPending}>
            Check now
          </Button>
        </Group>
        {check.isError && <ErrorNote error={check.error} title="The check failed" />}
        {check.data?.verified === false && <LookUpResult result={check.data} />}
      </Stack>
    </Paper>
  )
}

function Challenge({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <Table variant="vertical" withTableBorder layout="fixed" aria-label="The TXT record to create">
      <Table.Tbody>
        <Table.Tr>
          <Table.Th w={80}>Type</Table.Th>
          <Table.Td>TXT</Table.Td>
        </Table.Tr>
        <Table.Tr>
          <Table.Th>Name</Table.Th>
          <Table.Td>
            <CopyText value={name} what="the name" />
          </Table.Td>
        </Table.Tr>
        <Table.Tr>
          <Table.Th>Value</Table.Th>
          <Table.Td>
            <CopyText value={value} what="the value" />
          </Table.Td>
        </Table.Tr>
      </Table.Tbody>
    </Table>
  )
}
