import { Stack, Textarea, TextInput } from '@mantine/core'
import { areas } from '@svc/contract'
import { useState } from 'react'
import { client } from '../../app/client.js'
import { FormActions } from '../../parts/form-actions.js'
import { FormModal } from '../../parts/form-dialog.js'
import { notifyUndo } from '../../parts/notify.js'
import { fieldOf } from '../../parts/schema.js'
import { useSubmit } from '../../parts/use-submit.js'
import { refreshPackages, type Package } from './queries.js'

interface Props {
  readonly of: Package
  readonly opened: boolean
  readonly onClose: () => void
}

interface Details {
  readonly name: string
  readonly description: string
}

/** Changes the display name and the description of a package. */
export function DetailsDialog({ of, opened, onClose }: Props) {
  const [name, setName] = useState(of.name)
  const [description, setDescription] = useState(of.description)
  const save = async (details: Details) => {
    await client.packages.update({ slug: of.slug, ...details })
    await refreshPackages()
  }
  const { submit, isPending, problem, error } = useSubmit({
    fields: ['name', 'description'],
    input: { name, description },
    send: save,
    onDone: () => {
      onClose()
      notifyUndo('The details are saved.', () => save({ name: of.name, description: of.description }))
    },
  })
  return (
    <FormModal opened={opened} onClose={onClose} title={`Edit ${of.slug}`}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <Stack>
          <TextInput
            label="Display name"
            required
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            maxLength={fieldOf(areas.packages.update, 'name').maxLength}
            error={problem('name')}
          />
          <Textarea
            label="Description"
            description="What it is for, in a sentence or two."
            autosize
            minRows={3}
            value={description}
            onChange={(event) => setDescription(event.currentTarget.value)}
            maxLength={fieldOf(areas.packages.update, 'description').maxLength}
            error={problem('description')}
          />
          <FormActions action="Save the details" isPending={isPending} error={error} onCancel={onClose} />
        </Stack>
      </form>
    </FormModal>
  )
}
