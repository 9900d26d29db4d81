import { Group, Progress, Stack, Text } from '@mantine/core'
import type { client } from '../../parts/api/client.js'
import { counted, formatBytes, formatCount } from '../../parts/format.js'
import { Note } from '../../parts/text.js'

const nearlyFullPercent = 90

/** How much of the storage is used, and by what. */
export function StorageUse({ files, shared, bytes, bytes_limit: limit, uploads, free_bytes: free }: Usage) {
  const percent = limit === null || limit === 0 ? undefined : Math.round((100 * bytes) / limit)
  const isNearlyFull = percent !== undefined && percent > nearlyFullPercent
  return (
    <Stack gap={6}>
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={500}>
          {formatBytes(bytes)} used{limit === null ? '' : ` of ${formatBytes(limit)}`}
          {free !== null && `, ${formatBytes(free)} free on the server`}
        </Text>
        <Note>
          {counted(files, 'file')}, {shared === 0 ? 'none' : formatCount(shared)} shared
          {uploads > 0 && `, ${counted(uploads, 'open upload')}`}
        </Note>
      </Group>
      {percent !== undefined && (
        <Progress value={percent} size="sm" color={isNearlyFull ? 'red' : 'brand'} aria-label="Used storage" />
      )}
      {isNearlyFull && (
        <Text size="sm">Almost full: delete files, discard unfinished uploads, or ask the operator for more.</Text>
      )}
    </Stack>
  )
}

type Usage = Awaited<ReturnType<typeof client.files.usage>>
