import { Button, PasswordInput, TextInput } from '@mantine/core'
import { consoleAreas } from '@svc/contract'
import { client } from '../../parts/api/client.js'
import { SubmitForm } from '../../parts/submit-form.js'
import { useSubmit } from '../../parts/use-submit.js'

interface Props {
  /** The email of the session that has ended; it cannot be changed then. */
  readonly email?: string
  readonly onSignedIn: () => void | Promise<void>
}

/** Email and password. */
export function CredentialsForm({ email, onSignedIn }: Props) {
  const form = useSubmit({
    op: consoleAreas.session.signIn,
    initial: { email: email ?? '', password: '' },
    send: (input) => client.session.signIn(input),
    onDone: onSignedIn,
  })
  const signIn = (
    <Button type="submit" loading={form.isPending}>
      Sign in
    </Button>
  )
  return (
    <SubmitForm form={form} buttons={signIn}>
      <TextInput
        {...form.text('email')}
        label="Email"
        type="email"
        autoComplete="username"
        required
        readOnly={email !== undefined}
        autoFocus={email === undefined}
      />
      <PasswordInput
        {...form.text('password')}
        label="Password"
        autoComplete="current-password"
        required
        // The dialog, which holds the focus, looks for this attribute.
        data-autofocus={email !== undefined || undefined}
      />
    </SubmitForm>
  )
}
