import { Anchor, MultiSelect, Text, TextInput } from '@mantine/core'
import { areas } from '@svc/contract'
import { useState } from 'react'
import { client } from '../../parts/api/client.js'
import { queryClient } from '../../parts/api/query-client.js'
import { FormModal } from '../../parts/form-dialog.js'
import { notifyDone } from '../../parts/notify.js'
import { SecretOnce, SecretOnceDialog } from '../../parts/secret-once.js'
import { SubmitForm } from '../../parts/submit-form.js'
import { useSubmit, type Form } from '../../parts/use-submit.js'
import { eventChoices } from './chosen-events.js'
import { hostOf, webhooksQuery, type Webhook } from './webhook-queries.js'

interface Draft {
  readonly url: string
  readonly events: readonly string[]
}

interface Input {
  readonly url: string
  readonly events: string[]
}

const nothing: Draft = { url: '', events: [] }

const inputOf = ({ url, events }: Draft): Input => ({ url: url.trim(), events: [...events] })

/** Adds a webhook, and shows its secret once. */
export function NewWebhook({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }) {
  return (
    <SecretOnceDialog
      opened={opened}
      onClose={onClose}
      title="Add a webhook"
      size="lg"
      create={(onCreated) => <NewForm onCreated={onCreated} onCancel={onClose} />}
    >
      {({ secret }: { readonly secret: string }) => <WebhookSecret secret={secret} />}
    </SecretOnceDialog>
  )
}

function NewForm({ onCreated, onCancel }: { onCreated: (made: { secret: string }) => void; onCancel: () => void }) {
  const form = useSubmit({
    op: areas.account.webhookCreate,
    initial: nothing,
    input: inputOf,
    send: (input: Input) => client.account.webhookCreate(input),
    onDone: async (made) => {
      onCreated(made)
      await queryClient.invalidateQueries(webhooksQuery)
    },
  })
  return (
    <SubmitForm form={form} action="Add the webhook" onCancel={onCancel}>
      <WebhookFields form={form} />
    </SubmitForm>
  )
}

/** The secret of a webhook, and what it is for. */
function WebhookSecret({ secret }: { readonly secret: string }) {
  return (
    <>
      <SecretOnce value={secret} what="secret" />
      <Text size="sm">
        With this secret, your server verifies that a request comes from svc. The signature follows{' '}
        <Anchor href="https://www.standardwebhooks.com" target="_blank" rel="noreferrer" inherit underline="always">
          Standard Webhooks
        </Anchor>
        , whose libraries verify it.
      </Text>
    </>
  )
}

interface OfWebhook {
  /** Undefined while the dialog is closed. */
  readonly webhook: Webhook | undefined
  readonly onClose: () => void
}

/** Gives a webhook a new secret, and shows it once. */
export function ReplaceSecret({ webhook, onClose }: OfWebhook) {
  return (
    <SecretOnceDialog
      opened={webhook !== undefined}
      onClose={onClose}
      title={`Replace the secret of ${webhook === undefined ? '' : hostOf(webhook)}`}
      size="lg"
      create={(onReplaced) =>
        webhook && <ReplaceForm key={webhook.id} id={webhook.id} onReplaced={onReplaced} onCancel={onClose} />
      }
    >
      {({ secret }: { readonly secret: string | null }) => <WebhookSecret secret={secret ?? ''} />}
    </SecretOnceDialog>
  )
}

interface ReplaceProps {
  readonly id: number
  readonly onReplaced: (changed: { secret: string | null }) => void
  readonly onCancel: () => void
}

function ReplaceForm({ id, onReplaced, onCancel }: ReplaceProps) {
  const form = useSubmit({
    initial: {},
    input: () => ({ id, new_secret: true }),
    send: (input) => client.account.webhookUpdate(input),
    onDone: onReplaced,
  })
  return (
    <SubmitForm form={form} action="Replace the secret" onCancel={onCancel}>
      <Text size="sm">
        The next attempt is signed with the new secret. Your server refuses it until it knows the new secret.
      </Text>
    </SubmitForm>
  )
}

/** Changes the URL and the events of a webhook. Its secret stays. */
export function EditWebhook({ webhook, onClose }: OfWebhook) {
  return (
    <FormModal opened={webhook !== undefined} onClose={onClose} title="Edit the webhook" size="lg">
      {webhook && <EditForm key={webhook.id} webhook={webhook} onClose={onClose} />}
    </FormModal>
  )
}

function EditForm({ webhook, onClose }: { readonly webhook: Webhook; readonly onClose: () => void }) {
  // As the form has opened: the list is read again while the form is open.
  const [{ id, url, events }] = useState(webhook)
  const initial: Draft = { url, events }
  const form = useSubmit({
    op: areas.account.webhookUpdate,
    initial,
    input: inputOf,
    fields: ['url', 'events'],
    send: (input: Input) => client.account.webhookUpdate({ id, ...input }),
    onDone: async ({ webhook: changed }) => {
      onClose()
      await queryClient.invalidateQueries(webhooksQuery)
      notifyDone(`The webhook ${hostOf(changed)} is changed.`)
    },
  })
  return (
    <SubmitForm form={form} action="Save the changes" onCancel={onClose}>
      <WebhookFields form={form} />
    </SubmitForm>
  )
}

function WebhookFields({ form }: { readonly form: Form<Draft, Input> }) {
  return (
    <>
      <TextInput
        {...form.text('url')}
        label="URL"
        description="Your server gets a POST for each event."
        placeholder="https://hooks.example.com/svc"
        inputMode="url"
        required
        data-autofocus
      />
      <MultiSelect
        label="Events"
        description="Without a choice, all events of the account are sent."
        placeholder={form.values.events.length === 0 ? 'All events' : ''}
        data={eventChoices}
        value={[...form.values.events]}
        onChange={(events) => form.set({ events })}
        error={form.problem('events')}
        searchable
        clearable
        maxDropdownHeight={280}
      />
    </>
  )
}
