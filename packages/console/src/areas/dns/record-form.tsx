import { Button, Group, Paper, Stack, Title } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { client } from '../../parts/api/client.js'
import { useDiscardGuard } from '../../parts/discard-guard.js'
import { FormDrawer } from '../../parts/form-dialog.js'
import { SubmitForm } from '../../parts/submit-form.js'
import { useSubmit } from '../../parts/use-submit.js'
import { keepRecords, type DnsRecord, type WrittenRecord } from './queries.js'
import { RecordFields, type RecordField } from './record-fields.js'
import { changedFields, draftOf, emptyDraft, inputOf, type Draft } from './record-values.js'

const fields: readonly RecordField[] = ['type', 'host', 'value', 'ttl', 'priority']

/** Shows a record that was saved in the table. */
export type OnSaved = (record: WrittenRecord, verb: 'added' | 'saved') => void

interface AddProps {
  readonly zone: string
  readonly onSaved: OnSaved
  readonly onClose: () => void
}

/** Adds records. It stays open for the next one, with the type and the ttl of the last. */
export function AddRecord({ zone, onSaved, onClose }: AddProps) {
  const [{ count, start }, setNext] = useState({ count: 0, start: emptyDraft })
  const onAdded = ({ type, ttl }: Draft) => setNext({ count: count + 1, start: { ...emptyDraft, type, ttl } })
  const { close, content } = useDiscardGuard(
    onClose,
    <AddForm key={count} zone={zone} start={start} onSaved={onSaved} onAdded={onAdded} onClose={onClose} />,
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

function AddForm({ zone, start, onSaved, onAdded, onClose }: AddFormProps) {
  const section = useRef<HTMLDivElement>(null)
  const form = useSubmit({
    initial: start,
    input: inputOf,
    fields,
    send: (input) => client.dns.recordCreate({ zone, ...input }),
    onDone: (record) => {
      keepRecords(zone, [record])
      onSaved(record, 'added')
      onAdded(form.values)
    },
  })
  // The button that opened it, or sent the last one, may be gone.
  useEffect(() => section.current?.querySelector<HTMLInputElement>('[data-autofocus]')?.focus(), [])
  const buttons = (
    <Group justify="flex-end">
      <Button variant="default" onClick={onClose}>
        Close
      </Button>
      <Button type="submit" loading={form.isPending}>
        Add the record
      </Button>
    </Group>
  )
  return (
    <Stack gap="sm" ref={section}>
      <Title order={3} size="h6">
        Add a record
      </Title>
      <SubmitForm form={form} buttons={buttons}>
        <RecordFields zone={zone} draft={form.values} onChange={form.set} problem={form.problem} />
      </SubmitForm>
    </Stack>
  )
}

interface EditProps {
  readonly zone: string
  /** Undefined while no record is edited. */
  readonly record: DnsRecord | undefined
  readonly onSaved: OnSaved
  readonly onClose: () => void
}

/** Edits a record in a drawer. */
export function EditRecord({ zone, record, onSaved, onClose }: EditProps) {
  return (
    <FormDrawer
      opened={record !== undefined}
      onClose={onClose}
      size="lg"
      title={record && `Edit ${record.type} ${record.name}`}
    >
      {record && <EditForm key={record.id} zone={zone} record={record} onSaved={onSaved} onClose={onClose} />}
    </FormDrawer>
  )
}

function EditForm({ zone, record, onSaved, onClose }: EditProps & { readonly record: DnsRecord }) {
  // The list may be read again meanwhile: only what differs from the first draft was changed here.
  const [opened] = useState(() => draftOf(record))
  const form = useSubmit({
    initial: opened,
    input: inputOf,
    fields,
    send: (input) => client.dns.recordUpdate({ zone, id: String(record.id), ...changedFields(inputOf(opened), input) }),
    onDone: (saved) => {
      keepRecords(zone, [saved])
      onSaved(saved, 'saved')
      onClose()
    },
  })
  return (
    <SubmitForm form={form} action="Save the record" onCancel={onClose}>
      <RecordFields zone={zone} draft={form.values} onChange={form.set} problem={form.problem} isTypeFixed />
    </SubmitForm>
  )
}
