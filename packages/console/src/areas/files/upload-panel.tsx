import { Button, Card, Group, Progress, ScrollArea, Stack, Text } from '@mantine/core'
import { IconCheck, IconPlayerPause, IconPlayerPlay, IconRefresh, IconX } from '@tabler/icons-react'
import { withoutInvisible } from '@svc/contract'
import { memo } from 'react'
import { ErrorNote } from '../../parts/errors.js'
import { counted } from '../../parts/format.js'
import { IconAction } from '../../parts/icon-action.js'
import { CardTitle, Hint } from '../../parts/text.js'
import { isActive, type Upload } from './upload/queue.js'
import { uploads } from './upload/uploads.js'
import { canRetry } from './upload/verdict.js'
import { formatRemaining, stateOf, sumsOf } from './upload-progress.js'
import { useUploads } from './use-uploads.js'
import classes from './files.module.css'

/** More rows would slow down the page; the others are counted. */
const shownMax = 20

const order = (upload: Upload): number => (upload.phase === 'waiting' ? 1 : upload.phase === 'done' ? 2 : 0)

/** The uploads of this tab, with their progress. */
export function UploadPanel() {
  const all = useUploads()
  if (all.length === 0) return null
  const sums = sumsOf(all)
  const shown = all.toSorted((a, b) => order(a) - order(b)).slice(0, shownMax)
  const remaining = sums.remainingSeconds === undefined ? '' : `, ${formatRemaining(sums.remainingSeconds)}`
  return (
    <Card withBorder component="section" aria-label="Uploads">
      <Group justify="space-between" mb="xs" gap="xs">
        <CardTitle>
          {sums.active > 0
            ? `Uploading ${counted(sums.active, 'file')}${remaining}`
            : `Uploads: ${String(sums.done)} of ${String(sums.count)} done`}
        </CardTitle>
        <Group gap="xs">
          {sums.active > 1 && (
            <Button size="compact-sm" variant="default" onClick={() => uploads.pauseAll()}>
              Pause all
            </Button>
          )}
          {sums.paused > 1 && (
            <Button size="compact-sm" variant="default" onClick={() => uploads.resumeAll()}>
              Resume all
            </Button>
          )}
          {sums.done > 0 && (
            <Button size="compact-sm" variant="subtle" onClick={() => uploads.clearDone()}>
              Clear finished
            </Button>
          )}
        </Group>
      </Group>
      <ScrollArea.Autosize mah={320} type="auto" offsetScrollbars="present">
        <Stack gap="sm" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
          {shown.map((upload) => (
            <UploadRow key={upload.id} upload={upload} />
          ))}
        </Stack>
        {all.length > shownMax && (
          <Text size="sm" c="dimmed" mt="xs">
            and {counted(all.length - shownMax, 'more file')}
          </Text>
        )}
      </ScrollArea.Autosize>
      {sums.active > 0 && (
        <Text size="xs" c="dimmed" mt="xs">
          Uploads go on while you use other pages of the console. Keep this tab open.
        </Text>
      )}
    </Card>
  )
}

/** Rendered again only when its upload has changed. */
const UploadRow = memo(function UploadRow({ upload }: { readonly upload: Upload }) {
  const { id, size, phase, sentBytes, error } = upload
  // The server refuses them, so the list shows where they are.
  const name = withoutInvisible(upload.name)
  return (
    <li className={classes['upload']}>
      <Stack gap={4} miw={0}>
        <Text size="sm" fw={500} truncate>
          {name}
        </Text>
        {phase !== 'done' && (
          <Progress
            value={size === 0 ? 0 : (100 * sentBytes) / size}
            size="sm"
            animated={phase === 'finishing'}
            color={colors[phase] ?? 'brand'}
            aria-label={`Progress of ${name}`}
          />
        )}
        <Hint>{stateOf(upload)}</Hint>
      </Stack>
      <Group gap={2} wrap="nowrap">
        {phase === 'done' && <IconCheck size={18} aria-hidden color="var(--mantine-color-teal-6)" />}
        {isActive(upload) && phase !== 'finishing' && (
          <IconAction icon={IconPlayerPause} label={`Pause ${name}`} onClick={() => uploads.pause(id)} />
        )}
        {phase === 'paused' && (
          <IconAction icon={IconPlayerPlay} label={`Resume ${name}`} onClick={() => uploads.resume(id)} />
        )}
        {phase === 'failed' && canRetry(error) && (
          <IconAction icon={IconRefresh} label={`Retry ${name}`} onClick={() => uploads.resume(id)} />
        )}
        {phase !== 'done' && phase !== 'finishing' && (
          <IconAction icon={IconX} label={`Cancel ${name}`} onClick={() => uploads.cancel(id)} />
        )}
      </Group>
      {phase === 'failed' && (
        <div style={{ gridColumn: '1 / -1', marginTop: 4 }}>
          <ErrorNote error={error} />
        </div>
      )}
    </li>
  )
})

const colors: Readonly<Partial<Record<Upload['phase'], string>>> = { offline: 'yellow', paused: 'gray', failed: 'red' }
