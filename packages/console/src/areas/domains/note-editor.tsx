import { Group, Text, TextInput, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { IconPencil } from '@tabler/icons-react'
import { consoleAreas } from '@svc/contract'
import { useState } from 'react'
import { client } from '../../app/client.js'
import { errorText } from '../../parts/errors.js'
import { fieldOf } from '../../parts/schema.js'
import { useSubmit } from '../../parts/use-submit.js'
import { showChanged, type Domain } from './queries.js'

const { maxLength } = fieldOf(consoleAreas.domains.annotate, 'note')

/** The note of a domain, edited in place: Enter saves, Escape leaves it as it was. */
export function NoteEditor({ domain }: { readonly domain: Domain }) {
  const [text, setText] = useState<string>()
  if (text !== undefined)
    return <Input domain={domain} text={text} onChange={setText} onClose={() => setText(undefined)} />
  return (
    <UnstyledButton onClick={() => setText(domain.note)}>
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

interface InputProps {
  readonly domain: Domain
  readonly text: string
  readonly onChange: (text: string) => void
  readonly onClose: () => void
}

function Input({ domain, text, onChange, onClose }: InputProps) {
  const { submit, isPending, problem, error } = useSubmit({
    fields: ['note'],
    input: { id: domain.id, note: text },
    send: (input: { id: number; note: string }) => client.domains.annotate(input),
    onDone: async (changed) => {
      await showChanged(changed)
      onClose()
    },
  })
  const save = () => {
    if (isPending) return
    if (text === domain.note) onClose()
    else submit()
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      <TextInput
        size="xs"
        aria-label={`Note of ${domain.domain}`}
        autoFocus
        maxLength={maxLength}
        value={text}
        onChange={(event) => onChange(event.currentTarget.value)}
        onBlur={save}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onClose()
        }}
        // Escape ends the edit, and leaves a drawer around it open.
        data-mantine-stop-propagation
        error={problem('note') ?? (error && errorText(error))}
      />
    </form>
  )
}
