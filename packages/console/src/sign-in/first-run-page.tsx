import { Button, Code, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { SvcError } from '@svc/client'
import { consoleAreas } from '@svc/contract'
import { useState, type ChangeEvent } from 'react'
import { client } from '../app/client.js'
import { currentSession } from '../app/current-session.js'
import { queryClient } from '../app/query-client.js'
import { ErrorNote } from '../parts/errors.js'
import { fieldOf } from '../parts/schema.js'
import { useSubmit } from '../parts/use-submit.js'
import { DoorPage } from './door-page.js'
import { Help } from './help.js'

const { create } = consoleAreas.setup

const empty = { code: '', email: '', nickname: '', password: '' }
type Fields = typeof empty

/** Creates the first account of an empty server. @param onNotNeeded called when the server has an account meanwhile */
export function FirstRunPage({ onNotNeeded }: { readonly onNotNeeded: () => void }) {
  return (
    <DoorPage title="Create the first account">
      <Text size="sm" c="dimmed">
        This server has no account yet. Enter the code that it printed when it started, and choose how you sign in.
      </Text>
      <FirstAccountForm onNotNeeded={onNotNeeded} />
      <WhereIsTheCode />
    </DoorPage>
  )
}

function FirstAccountForm({ onNotNeeded }: { readonly onNotNeeded: () => void }) {
  const [fields, setFields] = useState(empty)
  const [isVisible, { toggle }] = useDisclosure(false)
  const { submit, isPending, problem, error } = useSubmit({
    fields: ['code', 'email', 'nickname', 'password'],
    input: fields,
    send: ({ nickname, ...rest }: Fields) => client.setup.create(nickname.trim() === '' ? rest : { ...rest, nickname }),
    onDone: () => queryClient.refetchQueries(currentSession),
  })
  const control = (name: keyof Fields) => ({
    value: fields[name],
    onChange: (event: ChangeEvent<HTMLInputElement>) => setFields({ ...fields, [name]: event.currentTarget.value }),
    maxLength: fieldOf(create, name).maxLength,
    error: problem(name),
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
          {...control('code')}
          label="Setup code"
          placeholder="XXXX-XXXX"
          required
          autoComplete="one-time-code"
          autoCapitalize="characters"
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          autoFocus
        />
        <TextInput {...control('email')} label="Email" type="email" required autoComplete="username" />
        <TextInput {...control('nickname')} label="Display name (optional)" autoComplete="name" />
        <PasswordInput
          {...control('password')}
          label="Password"
          description={fieldOf(create, 'password').description}
          required
          autoComplete="new-password"
          visible={isVisible}
          onVisibilityChange={toggle}
          visibilityToggleButtonProps={{
            'aria-label': isVisible ? 'Hide the password' : 'Show the password',
            tabIndex: 0,
          }}
        />
        {error && <ErrorNote error={error} />}
        {error instanceof SvcError && error.code === 'forbidden' && (
          <Button variant="default" onClick={onNotNeeded}>
            Go to the sign-in
          </Button>
        )}
        <Button type="submit" loading={isPending}>
          Create the account
        </Button>
      </Stack>
    </form>
  )
}

function WhereIsTheCode() {
  return (
    <Help question="Where is the code?">
      <Text size="sm">
        In the terminal in which <Code>svc serve</Code> or <Code>npm start</Code> runs, below the line that says “There
        is no account yet”. If svc runs as a service, in its journal:
      </Text>
      <Code block>journalctl -u svc</Code>
      <Text size="sm">
        Each start prints another code; only the last one works. Or create the account with this command:
      </Text>
      <Code block>npx svc user add you@example.com</Code>
    </Help>
  )
}
