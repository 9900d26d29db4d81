import { Button } from '@mantine/core'
import { Confirm } from '../../parts/confirm.js'
import { eachOf } from '../../parts/each-of.js'
import { counted, formatBytes } from '../../parts/format.js'
import { notifyDone, notifyError } from '../../parts/notify.js'
import { undoNote } from '../../parts/removal/removal.js'
import { SelectionBar } from '../../parts/selection/selection-bar.js'
import type { Selection } from '../../parts/selection/use-selection.js'
import { deleteFiles, filesAtOnce, setShared } from './changes.js'
import type { File } from './queries.js'

/** Changes several files at once. */
export function FileSelectionBar({ selection }: { readonly selection: Selection<File> }) {
  const { chosen, clear } = selection
  const share = async (isShared: boolean) => {
    const files = chosen.filter(({ shared }) => shared !== isShared)
    const errors = await eachOf(files, (file) => setShared(file, isShared))
    if (errors.length > 0) notifyError(errors[0])
    notifyDone(`${counted(files.length - errors.length, 'file')} ${isShared ? 'shared' : 'private again'}.`)
    clear()
  }
  const remove = async () => {
    clear()
    await deleteFiles(chosen)
  }
  const sharedCount = chosen.filter(({ shared }) => shared).length
  const bytes = formatBytes(chosen.reduce((sum, { size }) => sum + size, 0))
  return (
    <SelectionBar
      selection={selection}
      noun="file"
      facts={bytes}
      remove={remove}
      warning={`The files (${bytes}) are deleted, and their links stop working. ${undoNote(chosen.length, filesAtOnce)}`}
    >
      {sharedCount < chosen.length && (
        <Button size="xs" variant="default" onClick={() => void share(true)}>
          Share
        </Button>
      )}
      {sharedCount > 0 && (
        <Confirm
          title={`Stop sharing ${counted(sharedCount, 'file')}?`}
          action="Stop sharing"
          run={() => share(false)}
          trigger={(open) => (
            <Button size="xs" variant="default" onClick={open}>
              Stop sharing
            </Button>
          )}
        >
          Their links stop working at once. Files that you share again get new links.
        </Confirm>
      )}
    </SelectionBar>
  )
}
