import { Alert, Anchor, Button, Collapse, Group, List, Paper, Stack, Table, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconAlertTriangle, IconInfoCircle, IconRefresh } from '@tabler/icons-react'
import { isPublicName } from '@svc/contract'
import { Link } from 'react-router'
import { client } from '../../app/client.js'
import { CopyText } from '../../parts/copy.js'
import { ErrorNote } from '../../parts/errors.js'
import { notifyDone } from '../../parts/notify.js'
import { useSingleMutation } from '../../parts/use-single-mutation.js'
import { LookUpResult } from './look-up-result.js'
import { zonesChanged, type Claim } from './queries.js'

/** A verified zone: the nameservers to set at the registrar. */
export function Delegation({ claim: { zone, verification } }: { readonly claim: Claim }) {
  const [isOpen, { toggle }] = useDisclosure(false)
  return (
    <Paper withBorder p="md" radius="md">
      <Stack gap="xs">
        <Group justify="space-between" align="flex-start">
          <div>
            <Title order={2} size="h5">
              Nameservers
            </Title>
            <Text size="sm" c="dimmed">
              Set these at the registrar of {zone}, in place of all others.
            </Text>
          </div>
          <Button size="compact-sm" variant="subtle" onClick={toggle} aria-expanded={isOpen}>
            How to do this
          </Button>
        </Group>
        <Nameservers names={verification.expected_ns} />
        <Collapse expanded={isOpen}>
          <List size="sm" type="ordered" mt="xs">
            <List.Item>Add your records below first, so that nothing is missing when the domain moves here.</List.Item>
            <List.Item>
              Sign in at the company where you registered {zone}, open its nameserver settings, and replace them.
            </List.Item>
            <List.Item>
              If the registrar shows DNSSEC as active, switch it off there a day before: with the old keys, the domain
              would be unreachable.
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
        </Collapse>
      </Stack>
    </Paper>
  )
}

function Nameservers({ names }: { readonly names: readonly string[] }) {
  return (
    <Stack gap="xs">
      <Group gap="lg">
        {names.map((name) => (
          <CopyText key={name} value={name} what={name} />
        ))}
      </Group>
      {!names.every(isPublicName) && (
        <Alert color="orange" icon={<IconAlertTriangle size={18} />} title="No registrar accepts these names yet">
          They do not exist in the public DNS. The operator of this server must first set SVC_NAMESERVERS to at least
          two public names, then restart svc.
        </Alert>
      )}
    </Stack>
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
          <Title order={2} size="h5">
            Prove that you control {zone}
          </Title>
          <Text size="sm" c="dimmed" maw={640}>
            {name === undefined
              ? 'Set these nameservers at the registrar, in place of all others. Then check.'
              : 'Another account, or the operator of this server, has this zone. Create this TXT record where the DNS of the domain is now, wait until it is published, then check.'}
          </Text>
        </div>
        {name === undefined || value === undefined ? (
          <Nameservers names={nameservers} />
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
