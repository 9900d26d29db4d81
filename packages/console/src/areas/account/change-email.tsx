import { PasswordInput, Text, TextInput } from '@mantine/core'
import { consoleAreas } from '@svc/contract'
import { client } from '../../parts/api/client.js'
import { currentSession } from '../../parts/api/current-session.js'
import { queryClient } from '../../parts/api/query-client.js'
import { FormModal } from '../../parts/form-dialog.js'
import { notifyDone } from '../../parts/notify.js'
import { SubmitForm } from '../../parts/submit-form.js'
import { useSubmit } from '../../parts/use-submit.js'

interface Props {
  readonly email: string
  readonly opened: boolean
  readonly onClose: () => void
}

/** Changes the email of the account, with which the user signs in. */
export const ChangeEmail = ({ email, opened, onClose }: Props) => (
  <FormModal opened={opened} onClose={onClose} title="Change the email">
    <Form email={email} onClose={onClose} />
  </FormModal>
)

function Form({ email, onClose }: Omit<Props, 'opened'>) {
  const form = useSubmit({
    op: consoleAreas.session.changeEmail,
    initial: { email: '', current_password: '' },
    send: (input) => client.session.changeEmail(input),
    onDone: async ({ user }) => {
      onClose()
      await queryClient.invalidateQueries(currentSession)
      notifyDone(`You sign in as ${user.email} now.`)
    },
  })
  return (
    <SubmitForm form={form} action="Change the email" onCancel={onClose}>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        You sign in as {email} today. The server sends no message to the new address: check that it is right.
      </Text>
      <TextInput {...form.text('email')} label="New email" type="email" required autoComplete="email" data-autofocus />
      <PasswordInput
        {...form.text('current_password')}
        label="Current password"
        required
        autoComplete="current-password"
      />
    </SubmitForm>
  )
}
