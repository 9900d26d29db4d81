import { Button, Group, Paper, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Confirm } from '../confirm.js'
import { counted, formatCount } from '../format.js'
import { notifyError } from '../notify.js'
import { useSingleMutation } from '../use-single-mutation.js'
import classes from './selection-bar.module.css'
import type { Selectable, Selection } from './use-selection.js'

interface Props<Row extends Selectable> {
  readonly selection: Selection<Row>
  /** What a row is: `record`. */
  readonly noun: string
  /** Follows the number of selected rows. */
  readonly facts?: string
  /** Deletes the selected rows. */
  readonly remove: () => Promise<void>
  /** What is lost, and whether it can be undone. Shown before many rows are deleted. */
  readonly warning: ReactNode
  /** Further buttons. */
  readonly children?: ReactNode
}

/** More rows than this are deleted only after the number has been typed: the offer to undo ends after seconds. */
const withoutWordMax = 10

/** What can be done with the selected rows. It stays at the end of the window while the list scrolls. */
export function SelectionBar<Row extends Selectable>(props: Props<Row>) {
  const { noun, facts, remove, warning, children } = props
  const { chosen, count, selectAll, clear } = props.selection
  const removal = useSingleMutation({ mutationFn: remove, onError: notifyError })
  if (chosen.length === 0) return null
  const rows = counted(chosen.length, noun)
  const deleteButton = (onClick: () => void) => (
    <Button size="xs" variant="light" color="red" loading={removal.isPending} onClick={onClick}>
      Delete
    </Button>
  )
  return (
    <Paper withBorder shadow="md" p="xs" radius="md" className={classes['bar']}>
      <Group gap="xs" role="group" aria-label={`Selected ${noun}s`}>
        <Text size="sm" fw={500} role="status">
          {rows} selected{facts !== undefined && `, ${facts}`}
        </Text>
        {children}
        {chosen.length <= withoutWordMax ? (
          deleteButton(() => removal.mutate())
        ) : (
          <Confirm
            title={`Delete ${rows}?`}
            action={`Delete ${rows}`}
            word={String(chosen.length)}
            run={remove}
            trigger={deleteButton}
          >
            {warning}
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
