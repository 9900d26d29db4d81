import { Badge, Button, Collapse, Group, Menu, Paper, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconKey, IconPencil, IconPlayerPause, IconPlayerPlay, IconSend, IconTrash } from '@tabler/icons-react'
import { client } from '../../parts/api/client.js'
import { queryClient } from '../../parts/api/query-client.js'
import { Confirm } from '../../parts/confirm.js'
import { counted } from '../../parts/format.js'
import { notifyDone, notifyError } from '../../parts/notify.js'
import { RowMenu } from '../../parts/row-menu.js'
import { CardTitle, Note } from '../../parts/text.js'
import { TimeAgo } from '../../parts/time.js'
import { useSingleMutation } from '../../parts/use-single-mutation.js'
import { chosenText } from './chosen-events.js'
import { WebhookDeliveries } from './webhook-deliveries.js'
import { deliveriesQuery, hostOf, webhooksQuery, type Webhook } from './webhook-queries.js'

interface Props {
  readonly webhook: Webhook
  readonly onEdit: () => void
  readonly onReplaceSecret: () => void
}

/** A webhook: what it gets, whether its deliveries arrive, and what can be done with it. */
export function WebhookCard({ webhook, onEdit, onReplaceSecret }: Props) {
  const { id, url, enabled } = webhook
  const [isOpen, { open, toggle }] = useDisclosure(false)
  const test = useSingleMutation({
    mutationFn: () => client.account.webhookTest({ id }),
    onSuccess: async () => {
      open()
      await queryClient.invalidateQueries(deliveriesQuery(id))
      notifyDone(`The test for ${hostOf(webhook)} is on its way.`)
    },
    onError: notifyError,
  })
  return (
    <Paper withBorder p="md" component="section" aria-label={hostOf(webhook)}>
      <Stack gap="sm">
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <Stack gap={2} miw={0}>
            <CardTitle>{hostOf(webhook)}</CardTitle>
            <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {url}
            </Text>
          </Stack>
          <Actions webhook={webhook} onEdit={onEdit} onReplaceSecret={onReplaceSecret} />
        </Group>
        <State webhook={webhook} />
        <Group gap="xs">
          <Button
            variant="default"
            size="xs"
            leftSection={<IconSend size={16} />}
            disabled={!enabled}
            loading={test.isPending}
            onClick={() => test.mutate()}
          >
            Send a test
          </Button>
          <Button variant="subtle" size="xs" onClick={toggle} aria-expanded={isOpen}>
            {isOpen ? 'Hide the deliveries' : 'Show the deliveries'}
          </Button>
        </Group>
        <Collapse expanded={isOpen}>{isOpen && <WebhookDeliveries id={id} />}</Collapse>
      </Stack>
    </Paper>
  )
}

function State({ webhook: { events, enabled, waiting, dropped, failing_since: failing } }: Pick<Props, 'webhook'>) {
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <Badge variant="light" tt="none" color={enabled ? 'green' : 'yellow'}>
          {enabled ? 'active' : 'paused'}
        </Badge>
        {failing !== null && (
          <Badge variant="light" tt="none" color="orange" miw="max-content">
            failing
          </Badge>
        )}
        {waiting > 0 && <Note>{counted(waiting, 'event')} waiting</Note>}
        {dropped > 0 && <Note>{counted(dropped, 'event')} dropped, because too many waited</Note>}
      </Group>
      {failing !== null && (
        <Note>
          First failed delivery: <TimeAgo at={failing} />
        </Note>
      )}
      <Text size="sm">Gets {events.length === 0 ? 'all events' : events.map(chosenText).join(', ')}.</Text>
    </Stack>
  )
}

function Actions({ webhook, onEdit, onReplaceSecret }: Props) {
  const { id, enabled } = webhook
  const host = hostOf(webhook)
  const pause = useSingleMutation({
    mutationFn: (isEnabled: boolean) => client.account.webhookUpdate({ id, enabled: isEnabled }),
    onSuccess: async ({ webhook: changed }) => {
      await queryClient.invalidateQueries(webhooksQuery)
      notifyDone(changed.enabled ? `${host} gets events again.` : `${host} is paused: its events wait.`)
    },
    onError: notifyError,
  })
  const remove = async () => {
    await client.account.webhookDelete({ id })
    await queryClient.invalidateQueries(webhooksQuery)
    notifyDone(`The webhook ${host} is deleted.`)
  }
  const menu = (ask: () => void) => (
    <RowMenu of={host}>
      <Menu.Item leftSection={<IconPencil size={16} />} onClick={onEdit}>
        Edit
      </Menu.Item>
      <Menu.Item
        leftSection={enabled ? <IconPlayerPause size={16} /> : <IconPlayerPlay size={16} />}
        onClick={() => pause.mutate(!enabled)}
      >
        {enabled ? 'Pause' : 'Resume'}
      </Menu.Item>
      <Menu.Item leftSection={<IconKey size={16} />} onClick={onReplaceSecret}>
        Replace the secret
      </Menu.Item>
      <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={ask}>
        Delete
      </Menu.Item>
    </RowMenu>
  )
  return (
    <Confirm title={`Delete the webhook ${host}?`} action="Delete the webhook" run={remove} trigger={menu}>
      It gets no more events. Waiting events are not sent.
    </Confirm>
  )
}
