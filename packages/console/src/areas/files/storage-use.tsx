import { Group, Progress, Stack, Text } from '@mantine/core'
import type { client } from '../../parts/api/client.js'
import { counted, formatBytes, formatCount } from '../../parts/format.js'
import { Note } from '../../parts/text.js'

const nearlyFullPercent = 90

/** How much of the limit is used, in percent; undefined without a limit. */
const usedPercent = ({ bytes, bytes_limit: limit }: Pick<Usage, 'bytes' | 'bytes_limit'>): number | undefined =>
  limit === null || limit === 0 ? undefined : Math.round((100 * bytes) / limit)

/** Whether the files of the account nearly reach their limit. */
export const isNearlyFull = (usage: Pick<Usage, 'bytes' | 'bytes_limit'>): boolean =>
  (usedPercent(usage) ?? 0) > nearlyFullPercent

/** How much of the storage is used, and by what. */
export function StorageUse(usage: Usage) {
  const { files, shared, bytes, bytes_limit: limit, uploads, free_bytes: free } = usage
  const percent = usedPercent(usage)
  const isFull = isNearlyFull(usage)
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
        <Progress value={percent} size="sm" color={isFull ? 'red' : 'brand'} aria-label="Used storage" />
      )}
      {isFull && (
        <Text size="sm">Almost full: delete files, discard unfinished uploads, or ask the operator for more.</Text>
      )}
    </Stack>
  )
}

type Usage = Omit<Awaited<ReturnType<typeof client.files.usage>>, 'file_bytes_limit'>
