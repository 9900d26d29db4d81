import { Alert, Button, Group, Stack, TextInput } from '@mantine/core'
import { areas, forwarderKeysMax } from '@svc/contract'
import { lazy, Suspense, useState } from 'react'
import { client } from '../../app/client.js'
import { queryClient } from '../../app/query-client.js'
import { SecretModal } from '../../parts/secret-once.js'
import { FormActions } from '../../parts/form-actions.js'
import { Lines } from '../../parts/query-view.js'
import { fieldOf } from '../../parts/schema.js'
import { useSubmit } from '../../parts/use-submit.js'
import { forwarderKeysQuery } from './queries.js'
import { SigningKeyInput } from './signing-key-input.js'

const PhoneSetup = lazy(async () => ({ default: (await import('./phone-setup.js')).PhoneSetup }))

type Created = Awaited<ReturnType<typeof client.sms.keyCreate>>

interface Props {
  readonly opened: boolean
  readonly onClose: () => void
  /** Number of keys that the account has. */
  readonly used: number
}

/** Creates a forwarder key, and shows its address once with the steps for the app on the phone. */
export function NewForwarderKey({ opened, onClose, used }: Props) {
  const [created, setCreated] = useState<Created>()
  // The back button closes the dialog too, and an answer may arrive after that: the secret must not stay.
  if (!opened && created !== undefined) setCreated(undefined)
  return (
    <SecretModal
      opened={opened}
      onClose={onClose}
      title={created === undefined ? 'Create a forwarder key' : `Set up ${created.label}`}
      size={created === undefined ? 'md' : 'xl'}
      hasSecret={created !== undefined}
    >
      {created !== undefined ? (
        <Stack>
          <Suspense fallback={<Lines />}>
            <PhoneSetup created={created} />
          </Suspense>
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Done
            </Button>
          </Group>
        </Stack>
      ) : used >= forwarderKeysMax ? (
        <AllInUse onClose={onClose} />
      ) : (
        <KeyForm onCreated={setCreated} onCancel={onClose} />
      )}
    </SecretModal>
  )
}

function AllInUse({ onClose }: { readonly onClose: () => void }) {
  return (
    <Stack>
      <Alert color="yellow" title={`All ${forwarderKeysMax} keys are in use`}>
        Revoke the key of a phone that no longer forwards messages. Its messages stay.
      </Alert>
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Show the keys
        </Button>
      </Group>
    </Stack>
  )
}

function KeyForm({ onCreated, onCancel }: { onCreated: (key: Created) => void; onCancel: () => void }) {
  const [label, setLabel] = useState('')
  const [signingKey, setSigningKey] = useState('')
  const { submit, isPending, problem, error } = useSubmit({
    fields: ['label', 'signing_key'],
    input: { label, signing_key: signingKey === '' ? undefined : signingKey },
    send: (input: { label: string; signing_key: string | undefined }) => client.sms.keyCreate(input),
    onDone: async (key) => {
      onCreated(key)
      await queryClient.invalidateQueries(forwarderKeysQuery)
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
        <TextInput
          label="Phone"
          description="A name to recognize it by, such as Pixel of Ada."
          required
          data-autofocus
          value={label}
          onChange={(event) => setLabel(event.currentTarget.value)}
          maxLength={fieldOf(areas.sms.keyCreate, 'label').maxLength}
          error={problem('label')}
        />
        <SigningKeyInput
          label="Signing key (optional)"
          description="With one, svc refuses messages that the phone has not signed. The app needs the same key. You can set it later."
          value={signingKey}
          onChange={setSigningKey}
          problem={problem('signing_key')}
        />
        <FormActions action="Create the key" isPending={isPending} error={error} onCancel={onCancel} />
      </Stack>
    </form>
  )
}
