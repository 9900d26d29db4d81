import { Alert, Button, Group, Paper, Stack, Table, Text } from '@mantine/core'
import { IconInfoCircle, IconRefresh } from '@tabler/icons-react'
import { client } from '../../parts/api/client.js'
import { CopyText } from '../../parts/copy.js'
import { ErrorNote } from '../../parts/errors.js'
import { notifyDone } from '../../parts/notify.js'
import { CardTitle } from '../../parts/text.js'
import { useSingleMutation } from '../../parts/use-single-mutation.js'
import { LookUpResult } from './look-up-result.js'
import { Names, NotPublic } from './nameservers.js'
import { zonesChanged, type Claim } from './queries.js'

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
