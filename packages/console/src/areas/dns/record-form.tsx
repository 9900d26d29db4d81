import { Button, Group, Paper, Stack, Title } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { client } from '../../app/client.js'
import { ErrorNote } from '../../parts/errors.js'
import { FormActions } from '../../parts/form-actions.js'
import { useDiscardGuard } from '../../parts/discard-guard.js'
import { FormDrawer } from '../../parts/form-dialog.js'
import { counted } from '../../parts/format.js'
import { notifyDone } from '../../parts/notify.js'
import { useSubmit } from '../../parts/use-submit.js'
import { keepRecord, type DnsRecord, type WrittenRecord } from './queries.js'
import { RecordFields, type RecordField } from './record-fields.js'
import { changedFields, draftOf, emptyDraft, inputOf, type Draft } from './record-values.js'

type Input = ReturnType<typeof inputOf>
const fields: readonly RecordField[] = ['type', 'host', 'value', 'ttl', 'priority']

/** Says what was saved, and which other records changed with it. */
function notifySaved(verb: 'added' | 'saved', { type, name, host, ttl_changed: others = [] }: WrittenRecord): void {
  const rest =
    others.length === 0 ? '' : ` ${counted(others.length, 'other record')} of ${host} ${type} got this TTL too.`
  notifyDone(`${type} ${name} is ${verb}.${rest}`)
}

interface AddProps {
  readonly zone: string
  readonly onClose: () => void
}

/** Adds records. It stays open for the next one, with the type and the ttl of the last. */
export function AddRecord({ zone, onClose }: AddProps) {
  const [{ count, start }, setNext] = useState({ count: 0, start: emptyDraft })
  const onAdded = ({ type, ttl }: Draft) => setNext({ count: count + 1, start: { ...emptyDraft, type, ttl } })
  const { close, content } = useDiscardGuard(
    onClose,
    <AddForm key={count} zone={zone} start={start} onAdded={onAdded} onClose={onClose} />,
  )
  return (
    <Paper
      withBorder
      p="md"
      radius="md"
      component="section"
      aria-label="Add a record"
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.defaultPrevented && event.currentTarget.contains(event.target as Node))
          close()
      }}
    >
      {content}
    </Paper>
  )
}

interface AddFormProps extends AddProps {
  readonly start: Draft
  readonly onAdded: (draft: Draft) => void
}

function AddForm({ zone, start, onAdded, onClose }: AddFormProps) {
  const [draft, setDraft] = useState<Draft>(start)
  const form = useRef<HTMLFormElement>(null)
  const { submit, isPending, problem, error } = useSubmit({
    fields,
    input: inputOf(draft),
    send: (input: Input) => client.dns.recordCreate({ zone, ...input }),
    onDone: (record) => {
      keepRecord(zone, record)
      notifySaved('added', record)
      onAdded(draft)
    },
  })
  // The button that opened it, or sent the last one, may be gone.
  useEffect(() => form.current?.querySelector<HTMLInputElement>('[data-autofocus]')?.focus(), [])
  return (
    <form
      ref={form}
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Stack gap="sm">
        <Title order={3} size="h6">
          Add a record
        </Title>
        <RecordFields zone={zone} draft={draft} onChange={setDraft} problem={problem} />
        {error && <ErrorNote error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button type="submit" loading={isPending}>
            Add the record
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

interface EditProps {
  readonly zone: string
  /** Undefined while no record is edited. */
  readonly record: DnsRecord | undefined
  readonly onClose: () => void
}

/** Edits a record in a drawer. */
export function EditRecord({ zone, record, onClose }: EditProps) {
  return (
    <FormDrawer
      opened={record !== undefined}
      onClose={onClose}
      size="lg"
      title={record && `Edit ${record.type} ${record.name}`}
    >
      {record && <EditForm key={record.id} zone={zone} record={record} onClose={onClose} />}
    </FormDrawer>
  )
}

function EditForm({ zone, record, onClose }: EditProps & { readonly record: DnsRecord }) {
  // The list may be read again meanwhile: only what differs from the first draft was changed here.
  const [opened] = useState(() => draftOf(record))
  const [draft, setDraft] = useState<Draft>(opened)
  const { submit, isPending, problem, error } = useSubmit({
    fields,
    input: inputOf(draft),
    send: (input: Input) =>
      client.dns.recordUpdate({ zone, id: String(record.id), ...changedFields(inputOf(opened), input) }),
    onDone: (saved) => {
      keepRecord(zone, saved)
      notifySaved('saved', saved)
      onClose()
    },
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Stack>
        <RecordFields zone={zone} draft={draft} onChange={setDraft} problem={problem} isTypeFixed />
        <FormActions action="Save the record" isPending={isPending} error={error} onCancel={onClose} />
      </Stack>
    </form>
  )
}
