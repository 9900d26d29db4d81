import { Checkbox, PasswordInput, Text, TextInput } from '@mantine/core'
import { consoleAreas } from '@svc/contract'
import { client } from '../../parts/api/client.js'
import { currentSession } from '../../parts/api/current-session.js'
import { queryClient } from '../../parts/api/query-client.js'
import { FormModal } from '../../parts/form-dialog.js'
import { keysQuery } from '../../parts/keys-query.js'
import { NewPasswordInput } from '../../parts/new-password-input.js'
import { notifyDone } from '../../parts/notify.js'
import { fieldOf } from '../../parts/schema.js'
import { SubmitForm } from '../../parts/submit-form.js'
import { useSubmit } from '../../parts/use-submit.js'
import { sessionsQuery } from './queries.js'

const { changePassword } = consoleAreas.session

interface Props {
  readonly email: string
  readonly opened: boolean
  readonly onClose: () => void
}

/** Changes the password, which signs out all other browsers. */
export function ChangePassword({ email, opened, onClose }: Props) {
  return (
    <FormModal opened={opened} onClose={onClose} title="Change the password">
      <Form email={email} onClose={onClose} />
    </FormModal>
  )
}

function Form({ email, onClose }: Omit<Props, 'opened'>) {
  const form = useSubmit({
    op: changePassword,
    initial: { current_password: '', password: '', revoke_tokens: false },
    send: (input) => client.session.changePassword(input),
    onDone: async () => {
      onClose()
      notifyDone('Your password is changed. All other browsers are signed out.')
      await Promise.all(
        [currentSession, sessionsQuery, keysQuery].map(({ queryKey }) => queryClient.invalidateQueries({ queryKey })),
      )
    },
  })
  return (
    <SubmitForm form={form} action="Change the password" onCancel={onClose}>
      {/* A password manager needs the email to know whose password it saves. */}
      <TextInput type="email" value={email} readOnly autoComplete="username" display="none" aria-hidden />
      <PasswordInput
        {...form.text('current_password')}
        label="Current password"
        required
        autoComplete="current-password"
        data-autofocus
      />
      <NewPasswordInput
        {...form.text('password')}
        label="New password"
        description={fieldOf(changePassword, 'password').description}
      />
      <Checkbox
        label="Revoke all API keys, too"
        checked={form.values.revoke_tokens}
        onChange={(event) => form.set({ revoke_tokens: event.currentTarget.checked })}
      />
      <Text size="sm" c="dimmed">
        All other browsers are signed out.
      </Text>
    </SubmitForm>
  )
}
