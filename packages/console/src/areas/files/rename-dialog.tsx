import { TextInput } from '@mantine/core'
import { areas } from '@svc/contract'
import { FormModal } from '../../parts/form-dialog.js'
import { notifyUndo } from '../../parts/notify.js'
import { fieldOf } from '../../parts/schema.js'
import { SubmitForm } from '../../parts/submit-form.js'
import { useSubmit } from '../../parts/use-submit.js'
import { rename } from './changes.js'
import type { File } from './queries.js'

interface Props {
  readonly file: File
  readonly opened: boolean
  readonly onClose: () => void
}

/** Changes the name that a file downloads as. */
export function RenameDialog({ file, opened, onClose }: Props) {
  return (
    <FormModal opened={opened} onClose={onClose} title={`Rename ${file.name}`}>
      <RenameForm file={file} onClose={onClose} />
    </FormModal>
  )
}

function RenameForm({ file: { id, name: current }, onClose }: Omit<Props, 'opened'>) {
  const form = useSubmit({
    initial: { name: current },
    send: ({ name }) => rename(id, name.trim()),
    onDone: ({ name }) => {
      onClose()
      notifyUndo(`${current} is now ${name}.`, () => rename(id, current))
    },
  })
  return (
    <SubmitForm form={form} action="Rename the file" disabled={form.values.name.trim() === current} onCancel={onClose}>
      <TextInput
        {...form.text('name')}
        label="Name"
        description={fieldOf(areas.files.rename, 'name').description}
        data-autofocus
        spellCheck={false}
      />
    </SubmitForm>
  )
}
