import { Alert, Stack, TextInput } from '@mantine/core'
import { areas, forwarderKeysMax } from '@svc/contract'
import { lazy, Suspense } from 'react'
import { client } from '../../parts/api/client.js'
import { queryClient } from '../../parts/api/query-client.js'
import { CloseButton, SecretOnceDialog } from '../../parts/secret-once.js'
import { Lines } from '../../parts/query-view.js'
import { SubmitForm } from '../../parts/submit-form.js'
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
  return (
    <SecretOnceDialog
      opened={opened}
      onClose={onClose}
      title="Create a forwarder key"
      size="md"
      shown={({ label }) => ({ title: `Set up ${label}`, size: 'xl' })}
      create={(onCreated: (key: Created) => void) =>
        used >= forwarderKeysMax ? <AllInUse onClose={onClose} /> : <KeyForm onCreated={onCreated} onCancel={onClose} />
      }
    >
      {(created) => (
        <Suspense fallback={<Lines />}>
          <PhoneSetup created={created} />
        </Suspense>
      )}
    </SecretOnceDialog>
  )
}

function AllInUse({ onClose }: { readonly onClose: () => void }) {
  return (
    <Stack>
      <Alert color="yellow" title={`All ${forwarderKeysMax} keys are in use`}>
        Revoke the key of a phone that no longer forwards messages. Its messages stay.
      </Alert>
      <CloseButton onClose={onClose}>Show the keys</CloseButton>
    </Stack>
  )
}

function KeyForm({ onCreated, onCancel }: { onCreated: (key: Created) => void; onCancel: () => void }) {
  const form = useSubmit({
    op: areas.sms.keyCreate,
    initial: { label: '', signing_key: '' },
    send: ({ label, signing_key: key }) => client.sms.keyCreate({ label, signing_key: key === '' ? undefined : key }),
    onDone: async (key) => {
      onCreated(key)
      await queryClient.invalidateQueries(forwarderKeysQuery)
    },
  })
  return (
    <SubmitForm form={form} action="Create the key" onCancel={onCancel}>
      <TextInput
        {...form.text('label')}
        label="Phone"
        description="A name to recognize it by, such as Pixel of Ada."
        required
        data-autofocus
      />
      <SigningKeyInput
        {...form.text('signing_key')}
        label="Signing key (optional)"
        description="With one, svc refuses messages that the phone has not signed. The app needs the same key. You can set it later."
        onGenerate={(key) => form.set({ signing_key: key })}
      />
    </SubmitForm>
  )
}
