import { Group, Text, TextInput, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPencil } from '@tabler/icons-react'
import { areas } from '@svc/contract'
import { client } from '../../parts/api/client.js'
import { errorText } from '../../parts/error-text.js'
import { useSubmit } from '../../parts/use-submit.js'
import type { Domain } from '../../parts/registration/queries.js'
import { showChanged } from './queries.js'

/** The note of a domain, edited in place: Enter saves, Escape leaves it as it was. */
export function NoteEditor({ domain }: { readonly domain: Domain }) {
  const [isOpen, { open, close }] = useDisclosure(false)
  if (isOpen) return <Input domain={domain} onClose={close} />
  return (
    <UnstyledButton onClick={open}>
      <VisuallyHidden>Edit the note of {domain.domain}: </VisuallyHidden>
      <Group gap={6} wrap="nowrap">
        <Text size="sm" {...(domain.note === '' && { c: 'dimmed' })} style={{ overflowWrap: 'anywhere' }}>
          {domain.note === '' ? 'Add a note' : domain.note}
        </Text>
        <IconPencil size={14} aria-hidden style={{ flexShrink: 0 }} />
      </Group>
    </UnstyledButton>
  )
}

function Input({ domain, onClose }: { readonly domain: Domain; readonly onClose: () => void }) {
  const { text, values, submit, isPending, error } = useSubmit({
    op: areas.domains.annotate,
    initial: { note: domain.note },
    send: ({ note }) => client.domains.annotate({ id: domain.id, note }),
    onDone: async (changed) => {
      await showChanged(changed)
      onClose()
    },
  })
  const save = () => {
    if (isPending) return
    if (values.note === domain.note) onClose()
    else submit()
  }
  const field = text('note')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      <TextInput
        {...field}
        size="xs"
        aria-label={`Note of ${domain.domain}`}
        autoFocus
        onBlur={save}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onClose()
        }}
        // Escape ends the edit, and leaves a drawer around it open.
        data-mantine-stop-propagation
        error={field.error ?? (error && errorText(error))}
      />
    </form>
  )
}
