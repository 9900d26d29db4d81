import { Button, Code, Text, TextInput } from '@mantine/core'
import { SvcError } from '@svc/client'
import { consoleAreas } from '@svc/contract'
import { client } from '../../parts/api/client.js'
import { currentSession } from '../../parts/api/current-session.js'
import { queryClient } from '../../parts/api/query-client.js'
import { NewPasswordInput } from '../../parts/new-password-input.js'
import { fieldOf } from '../../parts/schema.js'
import { SubmitForm } from '../../parts/submit-form.js'
import { Note } from '../../parts/text.js'
import { useSubmit } from '../../parts/use-submit.js'
import { DoorPage } from './door-page.js'
import { Help } from './help.js'

const { create } = consoleAreas.setup

/** Creates the first account of an empty server. @param onNotNeeded called when the server has an account meanwhile */
export function FirstRunPage({ onNotNeeded }: { readonly onNotNeeded: () => void }) {
  return (
    <DoorPage title="Create the first account">
      <Note>
        This server has no account yet. Enter the code that it printed when it started, and choose how you sign in.
      </Note>
      <FirstAccountForm onNotNeeded={onNotNeeded} />
      <WhereIsTheCode />
    </DoorPage>
  )
}

const empty = { code: '', email: '', nickname: '', password: '' }

const { minLength: shortest = 0, maxLength: longest = Infinity } = fieldOf(create, 'password')

/** What the server would refuse one after the other. The code can only be compared there. */
function problemsOf({ code, email, password }: typeof empty) {
  const length = Array.from(password).length
  return {
    ...(code.trim() === '' && { code: 'Enter the code that the server has printed.' }),
    ...(!/^\s*[^\s@]+@[^\s@]+\s*$/.test(email) && { email: 'Must be an address such as you@example.com.' }),
    ...((length < shortest || length > longest) && {
      password: `Must have ${String(shortest)} to ${String(longest)} characters, not ${String(length)}.`,
    }),
  }
}

function FirstAccountForm({ onNotNeeded }: { readonly onNotNeeded: () => void }) {
  const form = useSubmit({
    op: create,
    initial: empty,
    check: problemsOf,
    send: ({ nickname, ...rest }) => client.setup.create(nickname.trim() === '' ? rest : { ...rest, nickname }),
    onDone: () => queryClient.refetchQueries(currentSession),
  })
  const buttons = (
    <>
      {form.error instanceof SvcError && form.error.code === 'forbidden' && (
        <Button variant="default" onClick={onNotNeeded}>
          Go to the sign-in
        </Button>
      )}
      <Button type="submit" loading={form.isPending}>
        Create the account
      </Button>
    </>
  )
  return (
    <SubmitForm form={form} buttons={buttons}>
      <TextInput
        {...form.text('code')}
        label="Setup code"
        placeholder="XXXX-XXXX"
        required
        autoComplete="one-time-code"
        autoCapitalize="characters"
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        autoFocus
      />
      <TextInput {...form.text('email')} label="Email" type="email" required autoComplete="username" />
      <TextInput {...form.text('nickname')} label="Display name (optional)" autoComplete="name" />
      <NewPasswordInput
        {...form.text('password')}
        label="Password"
        description={fieldOf(create, 'password').description}
      />
    </SubmitForm>
  )
}

function WhereIsTheCode() {
  return (
    <Help question="Where is the code?">
      <Text size="sm">
        In the terminal in which <Code>svc serve</Code> or <Code>npm start</Code> runs, below the line that says “There
        is no account yet”. If svc runs as a service, in its journal; in a container, in its log:
      </Text>
      <Code block>journalctl -u svc{'\n'}docker logs svc</Code>
      <Text size="sm">
        Each start prints another code; only the last one works. The first command prints a new one, the second creates
        the account without a code (in a checkout of svc, with <Code>npx</Code> in front):
      </Text>
      <Code block>svc setup-code{'\n'}svc user add you@example.com</Code>
    </Help>
  )
}
