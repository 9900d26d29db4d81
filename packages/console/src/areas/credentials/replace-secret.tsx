import { TextInput } from '@mantine/core'
import { areas } from '@svc/contract'
import { useState } from 'react'
import { client } from '../../parts/api/client.js'
import { queryClient } from '../../parts/api/query-client.js'
import { FormModal } from '../../parts/form-dialog.js'
import { notifyDone } from '../../parts/notify.js'
import { SubmitForm } from '../../parts/submit-form.js'
import { useItemInUrl } from '../../parts/url-state.js'
import { useSubmit } from '../../parts/use-submit.js'
import { credentialsQuery, type Credential } from './queries.js'
import { SecretInput } from './secret-input.js'
import { nameOf } from './secret.js'

/** The dialog that replaces the secret of a credential (`?replace=4`), and its user name if that is changed. */
export function ReplaceSecret({ credentials }: { readonly credentials: readonly Credential[] }) {
  const { item, close } = useItemInUrl('replace')
  const credential = credentials.find(({ id }) => String(id) === item)
  return (
    <FormModal
      opened={credential !== undefined}
      onClose={close}
      title={`Replace ${credential === undefined ? '' : nameOf(credential)}`}
    >
      {credential && <ReplaceForm key={credential.id} credential={credential} onClose={close} />}
    </FormModal>
  )
}

interface FormProps {
  readonly credential: Credential
  readonly onClose: () => void
}

function ReplaceForm({ credential: { id, username }, onClose }: FormProps) {
  // As the form has opened: the list is read again while the form is open.
  const [before] = useState(username ?? '')
  const form = useSubmit({
    op: areas.cred.update,
    initial: { username: before, secret: '' },
    send: ({ username, secret }) =>
      client.cred.update({ id, secret, ...(username !== before && { username: username === '' ? null : username }) }),
    onDone: async (stored) => {
      await queryClient.invalidateQueries(credentialsQuery)
      onClose()
      notifyDone(`The secret of ${nameOf(stored)} is replaced.`)
    },
  })
  return (
    <SubmitForm form={form} action="Replace the secret" onCancel={onClose}>
      <TextInput
        {...form.text('username')}
        label="User name"
        description="Leave it empty if the platform needs none."
      />
      <SecretInput {...form.text('secret')} />
    </SubmitForm>
  )
}
