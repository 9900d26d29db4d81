import { Button, Group, Paper, Text } from '@mantine/core'
import { Confirm } from '../../parts/confirm.js'
import { counted, formatCount } from '../../parts/format.js'
import { useSingleMutation } from '../../parts/use-single-mutation.js'
import { notifyError } from '../../parts/notify.js'
import type { DnsRecord } from './queries.js'
import classes from './record-selection.module.css'

interface Props {
  readonly chosen: readonly DnsRecord[]
  /** Number of records that can be selected. */
  readonly count: number
  readonly selectAll: () => void
  readonly clear: () => void
  readonly remove: () => Promise<void>
}

/** More records than this are deleted only after the number has been typed: the offer to undo ends after seconds. */
const withoutWordMax = 10

/** Deletes the selected records. It stays at the end of the window while the table scrolls. */
export function RecordSelection({ chosen, count, selectAll, clear, remove }: Props) {
  const removal = useSingleMutation({ mutationFn: remove, onError: notifyError })
  if (chosen.length === 0) return null
  const records = counted(chosen.length, 'record')
  const deleteButton = (onClick: () => void) => (
    <Button size="xs" variant="light" color="red" loading={removal.isPending} onClick={onClick}>
      Delete
    </Button>
  )
  return (
    <Paper withBorder shadow="md" p="xs" radius="md" className={classes['bar']}>
      <Group gap="xs" role="group" aria-label="Selected records">
        <Text size="sm" fw={500} role="status">
          {records} selected
        </Text>
        {chosen.length <= withoutWordMax ? (
          deleteButton(() => removal.mutate())
        ) : (
          <Confirm
            title={`Delete ${records}?`}
            action={`Delete ${records}`}
            word={String(chosen.length)}
            run={remove}
            trigger={deleteButton}
          >
            The nameserver stops answering them at once. You can undo it for a few seconds.
          </Confirm>
        )}
        {chosen.length < count && (
          <Button size="xs" variant="subtle" onClick={selectAll}>
            Select all {formatCount(count)}
          </Button>
        )}
        <Button size="xs" variant="subtle" onClick={clear}>
          Clear the selection
        </Button>
      </Group>
    </Paper>
  )
}
