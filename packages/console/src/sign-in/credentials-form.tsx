import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { consoleAreas } from '@svc/contract'
import { useState } from 'react'
import { client } from '../app/client.js'
import { ErrorNote } from '../parts/errors.js'
import { fieldOf } from '../parts/schema.js'
import { useSubmit } from '../parts/use-submit.js'

interface Props {
  /** The email of the session that has ended; it cannot be changed then. */
  readonly email?: string
  readonly onSignedIn: () => void | Promise<void>
}

/** Email and password. */
export function CredentialsForm({ email: fixed, onSignedIn }: Props) {
  const [email, setEmail] = useState(fixed ?? '')
  const [password, setPassword] = useState('')
  const { submit, isPending, problem, error } = useSubmit({
    fields: ['email', 'password'],
    input: { email, password },
    send: (input: { email: string; password: string }) => client.session.signIn(input),
    onDone: onSignedIn,
  })
  const { signIn } = consoleAreas.session
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Stack>
        <TextInput
          label="Email"
          type="email"
          autoComplete="username"
          required
          readOnly={fixed !== undefined}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          maxLength={fieldOf(signIn, 'email').maxLength}
          error={problem('email')}
          autoFocus={fixed === undefined}
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          maxLength={fieldOf(signIn, 'password').maxLength}
          error={problem('password')}
          // The dialog, which holds the focus, looks for this attribute.
          data-autofocus={fixed !== undefined || undefined}
        />
        {error && <ErrorNote error={error} />}
        <Button type="submit" loading={isPending}>
          Sign in
        </Button>
      </Stack>
    </form>
  )
}
