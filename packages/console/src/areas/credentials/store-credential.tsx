import { Alert, Autocomplete, Stack, Switch, Textarea, TextInput } from '@mantine/core'
import { areas } from '@svc/contract'
import { useState } from 'react'
import { client } from '../../app/client.js'
import { queryClient } from '../../app/query-client.js'
import { FormModal } from '../../parts/form-dialog.js'
import { formatTime } from '../../parts/format.js'
import { notifyDone } from '../../parts/notify.js'
import { FormActions } from '../../parts/form-actions.js'
import { fieldOf } from '../../parts/schema.js'
import { useDialogInUrl, useItemInUrl } from '../../parts/url-state.js'
import { useSubmit } from '../../parts/use-submit.js'
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

interface Input {
  readonly platform: string
  readonly label: string
  readonly username: string | undefined
  readonly secret: string
}

const limitOf = (field: keyof Input) => fieldOf(areas.cred.store, field).maxLength

function StoreForm({ credentials, replaced, onClose }: FormProps) {
  const [platform, setPlatform] = useState(replaced?.platform ?? '')
  const [label, setLabel] = useState(replaced?.label ?? '')
  const [username, setUsername] = useState(replaced?.username ?? '')
  const [secret, setSecret] = useState('')
  const existing = credentials.find((each) => each.platform === platform && each.label === label)
  const { submit, isPending, problem, error } = useSubmit({
    fields: ['platform', 'label', 'username', 'secret'],
    input: { platform, label, username: username === '' ? undefined : username, secret },
    send: (input: Input) => client.cred.store(input),
    onDone: async (stored) => {
      await queryClient.invalidateQueries(credentialsQuery)
      onClose()
      notifyDone(`${nameOf(stored)} is stored.`)
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
        {replaced === undefined && (
          <>
            <Autocomplete
              label="Platform"
              description="Where you sign in, such as registrar.example."
              required
              data-autofocus
              autoComplete="off"
              openOnFocus={false}
              data={Array.from(new Set(credentials.map((each) => each.platform)))}
              value={platform}
              onChange={setPlatform}
              maxLength={limitOf('platform')}
              error={problem('platform')}
            />
            <TextInput
              label="Label"
              description="Only if you have several credentials of this platform, such as work."
              value={label}
              onChange={(event) => setLabel(event.currentTarget.value)}
              maxLength={limitOf('label')}
              error={problem('label')}
            />
          </>
        )}
        <TextInput
          label="User name"
          description="Leave it empty if the platform needs none."
          value={username}
          onChange={(event) => setUsername(event.currentTarget.value)}
          maxLength={limitOf('username')}
          error={problem('username')}
        />
        <SecretInput value={secret} onChange={setSecret} problem={problem('secret')} />
        {replaced === undefined && existing !== undefined && (
          <Alert color="yellow" title={`${nameOf(existing)} is stored already`}>
            It was stored at {formatTime(existing.updated_at)}. Its user name and secret are replaced. To keep both,
            enter another label.
          </Alert>
        )}
        <FormActions
          action={existing === undefined ? 'Store the credential' : 'Replace the credential'}
          isPending={isPending}
          error={error}
          onCancel={onClose}
        />
      </Stack>
    </form>
  )
}

interface SecretProps {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly problem: string | undefined
}

/** A secret of one or several lines. It has no maximum in the form: the browser would silently cut a pasted key. */
function SecretInput({ value, onChange, problem }: SecretProps) {
  const [isVisible, setVisible] = useState(false)
  return (
    <>
      <Textarea
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
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={problem}
      />
      <Switch
        label="Show what I type"
        checked={isVisible}
        onChange={(event) => setVisible(event.currentTarget.checked)}
      />
    </>
  )
}
