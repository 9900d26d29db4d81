import { Button, Group, TextInput } from '@mantine/core'
import { areas } from '@svc/contract'
import { useState } from 'react'
import { ErrorNote } from '../../parts/errors.js'
import { notifyDone } from '../../parts/notify.js'
import { fieldOf } from '../../parts/schema.js'
import { useSubmit } from '../../parts/use-submit.js'
import { setMediaType } from './changes.js'
import type { File } from './queries.js'

const field = fieldOf(areas.files.update, 'media_type')

/** The media type of the download. */
export function MediaTypeForm({ file: { id, media_type: current } }: { readonly file: File }) {
  const [mediaType, setText] = useState(current)
  const { submit, problem, error, isPending } = useSubmit({
    fields: ['media_type'],
    input: { media_type: mediaType.trim() },
    send: ({ media_type }: { media_type: string }) => setMediaType(id, media_type),
    onDone: () => notifyDone('The media type is saved.'),
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Group align="flex-end" gap="xs">
        <TextInput
          flex={1}
          label="Media type"
          description="What browsers take the file for, such as text/plain or image/png."
          value={mediaType}
          maxLength={field.maxLength}
          onChange={({ currentTarget: { value } }) => setText(value)}
          error={problem('media_type')}
          spellCheck={false}
        />
        {mediaType.trim() !== current && (
          <Button type="submit" loading={isPending}>
            Save the type
          </Button>
        )}
      </Group>
      {error && <ErrorNote error={error} />}
    </form>
  )
}
