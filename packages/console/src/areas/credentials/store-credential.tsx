import { Alert, Autocomplete, TextInput } from '@mantine/core'
import { areas } from '@svc/contract'
import { client } from '../../parts/api/client.js'
import { queryClient } from '../../parts/api/query-client.js'
import { FormModal } from '../../parts/form-dialog.js'
import { formatTime } from '../../parts/format.js'
import { notifyDone } from '../../parts/notify.js'
import { SubmitForm } from '../../parts/submit-form.js'
import { useDialogInUrl } from '../../parts/url-state.js'
import { useSubmit } from '../../parts/use-submit.js'
import { credentialsQuery, type Credential } from './queries.js'
import { SecretInput } from './secret-input.js'
import { nameOf } from './secret.js'

interface Props {
  readonly credentials: readonly Credential[]
}

/** The dialog that stores a credential (`?new`). */
export function StoreCredential({ credentials }: Props) {
  const { isOpen, close } = useDialogInUrl('new')
  return (
    <FormModal opened={isOpen} onClose={close} title="Store a credential">
      <StoreForm credentials={credentials} onClose={close} />
    </FormModal>
  )
}

function StoreForm({ credentials, onClose }: Props & { readonly onClose: () => void }) {
  const form = useSubmit({
    op: areas.cred.store,
    initial: { platform: '', label: '', username: '', secret: '' },
    send: ({ username, ...rest }) => client.cred.store({ ...rest, username: username === '' ? undefined : username }),
    onDone: async (stored) => {
      await queryClient.invalidateQueries(credentialsQuery)
      onClose()
      notifyDone(`${nameOf(stored)} is stored.`)
    },
  })
  const { platform, label } = form.values
  const existing = credentials.find((each) => each.platform === platform && each.label === label)
  return (
    <SubmitForm
      form={form}
      action={existing === undefined ? 'Store the credential' : 'Replace the credential'}
      onCancel={onClose}
    >
      <Autocomplete
        {...form.text('platform')}
        onChange={(chosen) => form.set({ platform: chosen })}
        label="Platform"
        description="Where you sign in, such as registrar.example."
        required
        data-autofocus
        autoComplete="off"
        openOnFocus={false}
        data={Array.from(new Set(credentials.map((each) => each.platform)))}
      />
      <TextInput
        {...form.text('label')}
        label="Label"
        description="Only if you have several credentials of this platform, such as work."
      />
      <TextInput
        {...form.text('username')}
        label="User name"
        description="Leave it empty if the platform needs none."
      />
      <SecretInput {...form.text('secret')} />
      {existing !== undefined && (
        <Alert color="yellow" title={`${nameOf(existing)} is stored already`}>
          It was stored at {formatTime(existing.updated_at)}. Its user name and secret are replaced. To keep both, enter
          another label.
        </Alert>
      )}
    </SubmitForm>
  )
}
