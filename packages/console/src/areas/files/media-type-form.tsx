import { Button, Group, TextInput } from '@mantine/core'
import { areas } from '@svc/contract'
import { notifyDone } from '../../parts/notify.js'
import { SubmitForm } from '../../parts/submit-form.js'
import { useSubmit } from '../../parts/use-submit.js'
import { setMediaType } from './changes.js'
import type { File } from './queries.js'

/** The media type of the download. */
export function MediaTypeForm({ file: { id, media_type: current } }: { readonly file: File }) {
  const form = useSubmit({
    op: areas.files.update,
    initial: { media_type: current },
    send: ({ media_type }) => setMediaType(id, media_type.trim()),
    onDone: () => notifyDone('The media type is saved.'),
  })
  return (
    <SubmitForm form={form} buttons={null}>
      <Group align="flex-end" gap="xs">
        <TextInput
          {...form.text('media_type')}
          flex={1}
          label="Media type"
          description="What browsers take the file for, such as text/plain or image/png."
          spellCheck={false}
        />
        {form.values.media_type.trim() !== current && (
          <Button type="submit" loading={form.isPending}>
            Save the type
          </Button>
        )}
      </Group>
    </SubmitForm>
  )
}
