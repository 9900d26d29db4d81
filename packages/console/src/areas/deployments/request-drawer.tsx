import { Button, Drawer, Group, Stack, Table, Text, Title } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { client } from '../../parts/api/client.js'
import { queryClient } from '../../parts/api/query-client.js'
import { CodeSample } from '../../parts/code-sample.js'
import { ErrorNote } from '../../parts/errors.js'
import { Fact } from '../../parts/fact.js'
import { formatBytes, formatTime } from '../../parts/format.js'
import { notifyDone } from '../../parts/notify.js'
import { QueryView } from '../../parts/query-view.js'
import { Note } from '../../parts/text.js'
import { useSingleMutation } from '../../parts/use-single-mutation.js'
import { Attempts } from './attempts.js'
import { DeliveryState, NextAttempt } from './delivery-state.js'
import { requestQuery, requestsKey, type Detail, type RequestDetail } from './queries.js'
import { prettyBody, repeatCurl } from './samples.js'

interface Props {
  readonly webhook: Detail
  /** As it stands in the address; undefined while the drawer is closed. */
  readonly requestId: string | undefined
  readonly onClose: () => void
}

/** One request with headers and body, to inspect and to forward again. */
export function RequestDrawer({ webhook, requestId, onClose }: Props) {
  return (
    <Drawer
      opened={requestId !== undefined}
      onClose={onClose}
      position="right"
      size="xl"
      title={requestId !== undefined && `Request ${requestId}`}
    >
      {requestId !== undefined && <Loaded webhook={webhook} requestId={requestId} />}
    </Drawer>
  )
}

function Loaded({ webhook, requestId }: { readonly webhook: Detail; readonly requestId: string }) {
  const query = useQuery(requestQuery(webhook.id, requestId))
  return <QueryView query={query}>{(request) => <Content webhook={webhook} request={request} />}</QueryView>
}

interface ContentProps {
  readonly webhook: Detail
  readonly request: RequestDetail
}

function Content({ webhook, request }: ContentProps) {
  const { method, path, query, ip, received_at, size, truncated, headers, body, body_encoding: encoding } = request
  const command = repeatCurl(webhook.url, request)
  return (
    <Stack>
      <Fact label="Request">
        {method} {path === '' ? '/' : path}
        {query !== '' && `?${query}`}
      </Fact>
      <Group gap="xl">
        <Fact label="Received">{formatTime(received_at)}</Fact>
        <Fact label="Sender">{ip}</Fact>
      </Group>
      <Delivery webhook={webhook} request={request} />
      <Attempts history={request.history} />
      <Title order={3} size="h6">
        Body, {formatBytes(size)}
        {truncated && ', the rest was not kept'}
        {encoding === 'base64' && ', not UTF-8: shown in base64'}
      </Title>
      {body === '' ? (
        <Note>Empty</Note>
      ) : (
        <CodeSample code={encoding === 'base64' ? body : prettyBody(body)} what="the body" />
      )}
      <Title order={3} size="h6">
        Headers
      </Title>
      <Table aria-label="Headers" layout="fixed">
        <Table.Tbody>
          {headers.map(({ name, value }, index) => (
            <Table.Tr key={index}>
              <Table.Th scope="row" w="35%" style={{ overflowWrap: 'anywhere' }}>
                {name}
              </Table.Th>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{value}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Title order={3} size="h6">
        Send the request again from a terminal
      </Title>
      <CodeSample code={command} what="the command" />
    </Stack>
  )
}

/** The delivery to the target, and a way to begin it again. */
function Delivery({ webhook, request: { id, delivery } }: ContentProps) {
  const redeliver = useSingleMutation({
    mutationFn: () => client.deployments.redeliver({ id: webhook.id, request_id: id }),
    onSuccess: async () => {
      notifyDone(`Request ${String(id)} is being forwarded again.`)
      await queryClient.invalidateQueries({ queryKey: requestsKey(webhook.id) })
    },
  })
  return (
    <Stack gap="xs">
      <Group justify="space-between" align="flex-end">
        <Fact label="Delivery">
          <Group gap="xs">
            <DeliveryState delivery={delivery} />
            {typeof delivery?.status === 'number' && <span>last answer {delivery.status}</span>}
          </Group>
        </Fact>
        {webhook.target !== null && (
          <Button
            variant="default"
            size="xs"
            leftSection={<IconRefresh size={16} />}
            loading={redeliver.isPending}
            onClick={() => redeliver.mutate()}
          >
            Forward the request again
          </Button>
        )}
      </Group>
      {typeof delivery?.error === 'string' && <Text size="sm">{delivery.error}</Text>}
      {typeof delivery?.next_attempt_at === 'string' && (
        <Note>
          <NextAttempt at={delivery.next_attempt_at} />
        </Note>
      )}
      {redeliver.isError && <ErrorNote error={redeliver.error} />}
    </Stack>
  )
}
