import { Alert, Anchor, Drawer, Group, Stack, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { CopyIcon } from '../../parts/copy.js'
import { formatTime } from '../../parts/format.js'
import { pathIdIn } from '../../parts/path-id.js'
import { QueryView } from '../../parts/query-view.js'
import { Note } from '../../parts/text.js'
import { useItemInUrl } from '../../parts/url-state.js'
import { CodeButton } from './code-button.js'
import type { Message } from './loaded-messages.js'
import classes from './messages.module.css'
import { oneTimeCode } from './one-time-code.js'
import { forwarderKeysQuery, messageQuery } from './queries.js'

/** The message of the address (`?message=41`), with all its fields. */
export function MessageDrawer() {
  const { item, close } = useItemInUrl('message')
  const id = pathIdIn(item)
  return (
    <Drawer opened={item !== undefined} onClose={close} position="right" size="md" title="Message">
      {id === undefined ? <Missing /> : <Details id={id} />}
    </Drawer>
  )
}

function Details({ id }: { readonly id: number }) {
  const query = useQuery(messageQuery(id))
  return <QueryView query={query}>{(message) => (message ? <Fields message={message} /> : <Missing />)}</QueryView>
}

const Missing = () => (
  <Alert color="yellow">This message has been deleted, or is older than this server keeps messages.</Alert>
)

function Fields({ message }: { readonly message: Message }) {
  const { from, to, body, sim, device, received_at: receivedAt, key_id: keyId } = message
  const code = oneTimeCode(body)
  const rows = [
    { label: 'From', value: from, action: <CopyIcon value={from} what="the sender" /> },
    { label: 'To', value: to },
    { label: 'Received', value: formatTime(receivedAt) },
    { label: 'Device', value: device },
    { label: 'SIM', value: sim },
  ]
  return (
    <Stack>
      <Group justify="space-between" align="flex-start" wrap="nowrap">
        <Text className={classes['body']}>{body === '' ? '(no text)' : body}</Text>
        <CopyIcon value={body} what="the text" />
      </Group>
      {code !== undefined && (
        <Group>
          <CodeButton code={code} />
        </Group>
      )}
      <Table layout="fixed" variant="vertical">
        <Table.Tbody>
          {rows.map(({ label, value, action }) => (
            <Table.Tr key={label}>
              <Table.Th w={110}>{label}</Table.Th>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>
                <Group gap={4}>
                  {value ?? <Note>not reported</Note>}
                  {action}
                </Group>
              </Table.Td>
            </Table.Tr>
          ))}
          <Table.Tr>
            <Table.Th>Key</Table.Th>
            <Table.Td>
              <KeyName id={keyId} />
            </Table.Td>
          </Table.Tr>
        </Table.Tbody>
      </Table>
    </Stack>
  )
}

/** The label of the forwarder key. Messages stay when their key is revoked. */
function KeyName({ id }: { readonly id: number }) {
  const { data } = useQuery(forwarderKeysQuery)
  const key = data?.keys.find((each) => each.id === id)
  if (key === undefined) return data === undefined ? <>{id}</> : <Note>revoked (id {id})</Note>
  return (
    <Anchor component={Link} to="/messages/keys" size="sm">
      {key.label}
    </Anchor>
  )
}
