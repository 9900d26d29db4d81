import { Alert, Autocomplete, Switch, Textarea, TextInput } from '@mantine/core'
import { areas } from '@svc/contract'
import { useState } from 'react'
import { client } from '../../parts/api/client.js'
import { queryClient } from '../../parts/api/query-client.js'
import { FormModal } from '../../parts/form-dialog.js'
import { formatTime } from '../../parts/format.js'
import { notifyDone } from '../../parts/notify.js'
import { SubmitForm } from '../../parts/submit-form.js'
import { useDialogInUrl, useItemInUrl } from '../../parts/url-state.js'
import { useSubmit, type TextProps } from '../../parts/use-submit.js'
import classes from './credentials.module.css'
import { credentialsQuery, type Credential } from './queries.js'
import { nameOf } from './secret.js'

/** The dialog that stores a credential (`?new`), or replaces the secret of one (`?replace=4`). */
export function StoreCredential({ credentials }: { readonly credentials: readonly Credential[] }) {
  const creating = useDialogInUrl('new')
  const replacing = useItemInUrl('replace')
  const replaced = credentials.find(({ id }) => String(id) === replacing.item)
  const { close } = replaced === undefined ? creating : replacing
  return (
    <FormModal
      opened={creating.isOpen || replaced !== undefined}
      onClose={close}
      title={replaced === undefined ? 'Store a credential' : `Replace ${nameOf(replaced)}`}
    >
      <StoreForm credentials={credentials} replaced={replaced} onClose={close} />
    </FormModal>
  )
}

interface FormProps {
  readonly credentials: readonly Credential[]
  readonly replaced: Credential | undefined
  readonly onClose: () => void
}

function StoreForm({ credentials, replaced, onClose }: FormProps) {
  const form = useSubmit({
    op: areas.cred.store,
    initial: {
      platform: replaced?.platform ?? '',
      label: replaced?.label ?? '',
      username: replaced?.username ?? '',
      secret: '',
    },
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
      {replaced === undefined && (
        <>
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
        </>
      )}
      <TextInput
        {...form.text('username')}
        label="User name"
        description="Leave it empty if the platform needs none."
      />
      <SecretInput {...form.text('secret')} />
      {replaced === undefined && existing !== undefined && (
        <Alert color="yellow" title={`${nameOf(existing)} is stored already`}>
          It was stored at {formatTime(existing.updated_at)}. Its user name and secret are replaced. To keep both, enter
          another label.
        </Alert>
      )}
    </SubmitForm>
  )
}

/** A secret of one or several lines. It has no maximum in the form: the browser would silently cut a pasted key. */
function SecretInput({ maxLength: _, ...text }: TextProps) {
  const [isVisible, setVisible] = useState(false)
  return (
    <>
      <Textarea
        {...text}
        label="Secret"
        description="A password, a token, or a private key with all its lines."
        required
        autosize
        minRows={1}
        maxRows={8}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        classNames={{ input: `${classes['typed'] ?? ''} ${isVisible ? '' : (classes['masked'] ?? '')}` }}
      />
      <Switch
        label="Show what I type"
        checked={isVisible}
        onChange={(event) => setVisible(event.currentTarget.checked)}
      />
    </>
  )
}
