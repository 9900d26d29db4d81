import { PasswordInput, Text, TextInput } from '@mantine/core'
import { consoleAreas, recentPasswordMinutes } from '@svc/contract'
import { client } from '../../parts/api/client.js'
import { missingPassword } from '../../parts/api/session.js'
import { SubmitForm } from '../../parts/submit-form.js'
import { useSubmit } from '../../parts/use-submit.js'
import { leaveOnEscape, OverPage } from './over-page.js'

const leave = () => missingPassword.fail(new Error('Your password was not entered, so nothing has happened.'))

leaveOnEscape(missingPassword, leave)

/** Asks for the password before secrets are shown, or a key that gets them is created. Then repeats what needed it. */
export const PasswordAgain = ({ email }: { readonly email: string }) => (
  <OverPage calls={missingPassword} leave={leave} title="Enter your password again">
    <Form email={email} />
  </OverPage>
)

function Form({ email }: { readonly email: string }) {
  const form = useSubmit({
    op: consoleAreas.session.enterPassword,
    initial: { password: '' },
    send: (input) => client.session.enterPassword(input),
    onDone: missingPassword.resume,
  })
  return (
    <SubmitForm form={form} action="Continue" onCancel={leave}>
      <Text size="sm">
        Secrets, and keys that get them, need a password that was entered in the last {String(recentPasswordMinutes)}{' '}
        minutes.
      </Text>
      {/* A password manager needs the email to know whose password it fills in. */}
      <TextInput type="email" value={email} readOnly autoComplete="username" display="none" aria-hidden />
      <PasswordInput
        {...form.text('password')}
        label="Password"
        required
        autoComplete="current-password"
        data-autofocus
      />
    </SubmitForm>
  )
}
