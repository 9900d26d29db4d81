import { Group, Progress, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { counted, formatBytes } from '../../parts/format.js'
import { usageQuery } from './queries.js'

/** How much of the storage is used. */
export function StorageBar() {
  const { data } = useQuery(usageQuery)
  // The list below shows the error of an unreachable server.
  if (data === undefined) return null
  const { files, shared, bytes, bytes_limit: limit, uploads } = data
  const percent = limit === null || limit === 0 ? undefined : (100 * bytes) / limit
  return (
    <Stack gap={6}>
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={500}>
          {formatBytes(bytes)} used{limit === null ? '' : ` of ${formatBytes(limit)}`}
        </Text>
        <Text size="sm" c="dimmed">
          {counted(files, 'file')}, {shared === 1 ? '1 is shared' : `${counted(shared, 'is', 'are')} shared`}
          {uploads > 0 && `, ${counted(uploads, 'open upload')}`}
        </Text>
      </Group>
      {percent !== undefined && (
        <Progress value={percent} color={percent > 90 ? 'red' : 'brand'} aria-label="Used storage" size="sm" />
      )}
    </Stack>
  )
}
