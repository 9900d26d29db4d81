import { Card, Group, Stack, Text, Title } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Confirm } from '../../parts/confirm.js'
import { formatBytes } from '../../parts/format.js'
import { IconAction } from '../../parts/icon-action.js'
import { notifyDone } from '../../parts/notify.js'
import { TimeAgo } from '../../parts/time.js'
import { discardUpload, openUploadsQuery, type OpenUpload } from './queries.js'
import { isUnfinished } from './upload/queue.js'
import { useUploads } from './use-uploads.js'

/** Uploads that another tab or program has left unfinished. Those of this tab have a panel with their progress. */
export function OpenUploads() {
  const hasOwn = useUploads().some(isUnfinished)
  const { data } = useQuery({ ...openUploadsQuery, enabled: !hasOwn })
  if (hasOwn || data === undefined || data.uploads.length === 0) return null
  return (
    <Card withBorder component="section" aria-label="Unfinished uploads">
      <Title order={2} size="h5" mb={4}>
        Unfinished uploads
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        They take storage until they are discarded or expire. To send an interrupted file, drop it here again: it is
        sent from the start.
      </Text>
      <Stack gap="xs" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
        {data.uploads.map((upload) => (
          <Row key={upload.upload_id} upload={upload} />
        ))}
      </Stack>
    </Card>
  )
}

function Row({ upload }: { readonly upload: OpenUpload }) {
  const { upload_id: id, size, received_bytes: received, updated_at: updatedAt, expires_at: expiresAt } = upload
  return (
    <Group component="li" justify="space-between" wrap="nowrap">
      <Text size="sm">
        Upload {id}: {formatBytes(received)}
        {size === null ? '' : ` of ${formatBytes(size)}`} received, the last part <TimeAgo at={updatedAt} />; expires{' '}
        <TimeAgo at={expiresAt} />
      </Text>
      <Confirm
        title={`Discard upload ${id}?`}
        action="Discard the upload"
        run={async () => {
          await discardUpload(id)
          notifyDone(`Upload ${id} is discarded.`)
        }}
        trigger={(open) => <IconAction icon={IconTrash} label={`Discard upload ${id}`} color="red" onClick={open} />}
      >
        Its parts are deleted. A program that still sends it has to start again.
      </Confirm>
    </Group>
  )
}
