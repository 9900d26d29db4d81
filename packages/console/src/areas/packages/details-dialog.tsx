import { Textarea, TextInput } from '@mantine/core'
import { areas } from '@svc/contract'
import { client } from '../../parts/api/client.js'
import { FormModal } from '../../parts/form-dialog.js'
import { notifyUndo } from '../../parts/notify.js'
import { SubmitForm } from '../../parts/submit-form.js'
import { useSubmit } from '../../parts/use-submit.js'
import { refreshPackages, type Package } from './queries.js'

interface Props {
  readonly of: Package
  readonly opened: boolean
  readonly onClose: () => void
}

/** Changes the display name and the description of a package. */
export function DetailsDialog({ of, opened, onClose }: Props) {
  return (
    <FormModal opened={opened} onClose={onClose} title={`Edit ${of.slug}`}>
      <DetailsForm of={of} onClose={onClose} />
    </FormModal>
  )
}

function DetailsForm({ of: { slug, name, description }, onClose }: Omit<Props, 'opened'>) {
  const before = { name, description }
  const save = async (details: typeof before) => {
    await client.packages.update({ slug, ...details })
    await refreshPackages()
  }
  const form = useSubmit({
    op: areas.packages.update,
    initial: before,
    send: save,
    onDone: () => {
      onClose()
      notifyUndo('The details are saved.', () => save(before))
    },
  })
  return (
    <SubmitForm form={form} action="Save the details" onCancel={onClose}>
      <TextInput {...form.text('name')} label="Display name" required data-autofocus />
      <Textarea
        {...form.text('description')}
        label="Description"
        description="What it is for, in a sentence or two."
        autosize
        minRows={3}
      />
    </SubmitForm>
  )
}
