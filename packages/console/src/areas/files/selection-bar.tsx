import { Button, Group, Text } from '@mantine/core'
import { Confirm } from '../../parts/confirm.js'
import { eachOf } from '../../parts/each-of.js'
import { counted, formatBytes } from '../../parts/format.js'
import { notifyDone, notifyError } from '../../parts/notify.js'
import { remove, setShared } from './changes.js'
import type { File } from './queries.js'

interface Props {
  readonly chosen: readonly File[]
  /** Number of files that can be selected. */
  readonly count: number
  readonly selectAll: () => void
  readonly clear: () => void
}

/** More files than this are deleted only after the number has been typed. */
const withoutWordMax = 10

/** Changes several files at once. */
export function SelectionBar({ chosen, count, selectAll, clear }: Props) {
  if (chosen.length === 0) return null
  const files = counted(chosen.length, 'file')
  const change = async (what: string, of: readonly File[], run: (file: File) => Promise<unknown>) => {
    const errors = await eachOf(of, run)
    if (errors.length > 0) notifyError(errors[0])
    notifyDone(`${counted(of.length - errors.length, 'file')} ${what}.`)
    clear()
  }
  const sharedFiles = chosen.filter((file) => file.shared)
  const privateFiles = chosen.filter((file) => !file.shared)
  const bytes = formatBytes(chosen.reduce((sum, { size }) => sum + size, 0))
  return (
    <Group gap="xs" role="group" aria-label="Selected files">
      <Text size="sm" fw={500}>
        {files} selected, {bytes}
      </Text>
      {privateFiles.length > 0 && (
        <Button
          size="xs"
          variant="default"
          onClick={() => void change('shared', privateFiles, (file) => setShared(file, true))}
        >
          Share
        </Button>
      )}
      {sharedFiles.length > 0 && (
        <Confirm
          title={`Stop sharing ${counted(sharedFiles.length, 'file')}?`}
          action="Stop sharing"
          run={() => change('private again', sharedFiles, (file) => setShared(file, false))}
          trigger={(open) => (
            <Button size="xs" variant="default" onClick={open}>
              Stop sharing
            </Button>
          )}
        >
          Their links stop working at once. Files that you share again get new links.
        </Confirm>
      )}
      <Confirm
        title={`Delete ${files}?`}
        action={`Delete ${files}`}
        word={chosen.length > withoutWordMax ? String(chosen.length) : undefined}
        run={() => change('deleted', chosen, ({ id }) => remove(id))}
        trigger={(open) => (
          <Button size="xs" variant="light" color="red" onClick={open}>
            Delete
          </Button>
        )}
      >
        The files ({bytes}) are deleted, and their links stop working. This cannot be undone.
      </Confirm>
      {chosen.length < count && (
        <Button size="xs" variant="subtle" onClick={selectAll}>
          Select all {String(count)}
        </Button>
      )}
      <Button size="xs" variant="subtle" onClick={clear}>
        Clear the selection
      </Button>
    </Group>
  )
}
