import { Stack, TextInput } from '@mantine/core'
import { areas } from '@svc/contract'
import { useState } from 'react'
import { FormModal } from '../../parts/form-dialog.js'
import { notifyUndo } from '../../parts/notify.js'
import { FormActions } from '../../parts/form-actions.js'
import { fieldOf } from '../../parts/schema.js'
import { useSubmit } from '../../parts/use-submit.js'
import { rename } from './changes.js'
import type { File } from './queries.js'

interface Props {
  readonly file: File
  readonly opened: boolean
  readonly onClose: () => void
}

/** Changes the name that a file downloads as. */
export function RenameDialog({ file: { id, name: current }, opened, onClose }: Props) {
  const [name, setName] = useState(current)
  const { submit, problem, error, isPending } = useSubmit({
    fields: ['name'],
    input: { name: name.trim() },
    send: ({ name }: { name: string }) => rename(id, name),
    onDone: () => {
      onClose()
      notifyUndo(`${current} is now ${name.trim()}.`, () => rename(id, current))
    },
  })
  return (
    <FormModal opened={opened} onClose={onClose} title={`Rename ${current}`}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <Stack>
          <TextInput
            label="Name"
            description={fieldOf(areas.files.rename, 'name').description}
            value={name}
            onChange={({ currentTarget: { value } }) => setName(value)}
            error={problem('name')}
            data-autofocus
            spellCheck={false}
          />
          <FormActions
            action="Rename the file"
            isPending={isPending}
            disabled={name.trim() === current}
            error={error}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </FormModal>
  )
}
