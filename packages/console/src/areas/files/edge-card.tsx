import { Button, Card, Group, Select, Stack, Switch, Text, Title } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { client } from '../../parts/api/client.js'
import { queryClient } from '../../parts/api/query-client.js'
import { Confirm } from '../../parts/confirm.js'
import { counted, formatBytes } from '../../parts/format.js'
import { notifyDone, notifyError, notifyUndo } from '../../parts/notify.js'
import { QueryView } from '../../parts/query-view.js'
import { lifetimeChoices } from './edge-lifetime.js'
import { hitRateText } from './hit-rate.js'
import { edgeFileQuery, type EdgeFile } from './queries.js'

/** Settings and counts of a shared file in the edge cache. */
export function EdgeCard({ id }: { readonly id: number }) {
  const query = useQuery(edgeFileQuery(id))
  return (
    <Card withBorder>
      <Title order={2} size="h4" mb="md">
        Edge cache
      </Title>
      <QueryView query={query}>
        {(file) =>
          file && (
            <Stack gap="md">
              <Counts file={file} />
              <Settings file={file} />
            </Stack>
          )
        }
      </QueryView>
    </Card>
  )
}

interface Change {
  readonly edge_ttl?: number
  readonly serving?: boolean
}

function Settings({ file }: { readonly file: EdgeFile }) {
  const { id, name, edge_ttl: ttl, serving } = file
  const { queryKey } = edgeFileQuery(id)
  const save = async (change: Change) => queryClient.setQueryData(queryKey, await client.cdn.config({ id, ...change }))
  const { mutate, variables, isPending } = useMutation({
    mutationFn: save,
    onSuccess: () => notifyUndo('The settings of the edge cache are saved.', () => save({ edge_ttl: ttl, serving })),
    onError: notifyError,
  })
  const shown = isPending ? { ...file, ...variables } : file
  return (
    <Stack gap="md">
      <Switch
        label="Serve the file"
        description="If off, the link does not work until you turn it on again. The link stays the same."
        checked={shown.serving}
        onChange={({ currentTarget: { checked } }) => mutate({ serving: checked })}
      />
      <Select
        label="Keep in the edge cache"
        description="How long a copy is served before the file is fetched again."
        data={lifetimeChoices(shown.edge_ttl)}
        value={String(shown.edge_ttl)}
        allowDeselect={false}
        onChange={(value) => mutate({ edge_ttl: Number(value) })}
        maw={260}
      />
      <Group>
        <Purge id={id} name={name} />
      </Group>
    </Stack>
  )
}

function Purge({ id, name }: { readonly id: number; readonly name: string }) {
  return (
    <Confirm
      title={`Purge ${name} from the edge cache?`}
      action="Purge the cache"
      run={async () => {
        await client.cdn.purge({ id })
        notifyDone(`${name} is purged from the edge cache.`)
      }}
      trigger={(open) => (
        <Button variant="default" leftSection={<IconRefresh size={16} />} onClick={open}>
          Purge the cache
        </Button>
      )}
    >
      All copies in the edge cache are deleted now, and the next request fetches the file again. The file and its link
      stay. You rarely need this: a new name or media type deletes the copies, too.
    </Confirm>
  )
}

function Counts({ file }: { readonly file: EdgeFile }) {
  return (
    <Text size="sm">
      {file.requests === 0
        ? 'No requests yet. They are counted from the first download through the share link.'
        : `${counted(file.requests, 'request')}, ${hitRateText(file)} hit rate, ${formatBytes(file.bytes_served)} served`}
    </Text>
  )
}
