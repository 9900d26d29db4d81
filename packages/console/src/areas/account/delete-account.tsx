import { Anchor, Button, Code, List, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { consoleAreas } from '@svc/contract'
import { Link } from 'react-router'
import { client } from '../../parts/api/client.js'
import { FormModal } from '../../parts/form-dialog.js'
import { leaveConsole } from '../../parts/leave-console.js'
import { DialogButtons, SubmitForm } from '../../parts/submit-form.js'
import { useSubmit } from '../../parts/use-submit.js'

interface Props {
  readonly email: string
  readonly opened: boolean
  readonly onClose: () => void
}

/** Deletes the account with everything that it has, and leaves the console. First it says how to keep a copy. */
export const DeleteAccount = ({ email, opened, onClose }: Props) => (
  <FormModal opened={opened} onClose={onClose} title="Delete the account" size="lg">
    <Form email={email} onClose={onClose} />
  </FormModal>
)

/** Where the console offers a copy. */
const copies = [
  { path: '/dns', name: 'DNS', what: 'each zone as a zone file' },
  { path: '/files', name: 'Files', what: 'each file' },
  { path: '/deployments', name: 'Forms and links', what: 'the submissions of each form as CSV' },
  { path: '/credentials', name: 'Credentials', what: 'each secret' },
] as const

function Copies({ email }: { readonly email: string }) {
  return (
    <Stack gap="xs">
      <Text size="sm" fw={500}>
        Keep a copy first
      </Text>
      <List size="sm" spacing={4}>
        {copies.map(({ path, name, what }) => (
          <List.Item key={path}>
            <Anchor component={Link} to={path} size="sm" underline="always">
              {name}
            </Anchor>{' '}
            offers {what}.
          </List.Item>
        ))}
        <List.Item>
          The operator of this server can export everything in one file that another server imports:{' '}
          <Code style={{ overflowWrap: 'anywhere' }}>svc account export {email} FILE</Code>
        </List.Item>
      </List>
    </Stack>
  )
}

function Form({ email, onClose }: Omit<Props, 'opened'>) {
  const form = useSubmit({
    op: consoleAreas.session.deleteAccount,
    initial: { email: '', password: '' },
    send: (input) => client.session.deleteAccount(input),
    onDone: leaveConsole,
  })
  const isConfirmed = form.values.email.trim().toLowerCase() === email
  return (
    <SubmitForm
      form={form}
      buttons={
        <DialogButtons>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" color="red" loading={form.isPending} disabled={!isConfirmed}>
            Delete the account
          </Button>
        </DialogButtons>
      }
    >
      <Copies email={email} />
      <Text size="sm">
        Your zones, sites, files, packages, links, messages, credentials and API keys are deleted. Nothing of it is
        served any more, and it cannot be restored. You are signed out everywhere.
      </Text>
      <TextInput
        {...form.text('email')}
        label={`Type ${email} to confirm`}
        type="email"
        required
        autoComplete="off"
        spellCheck={false}
      />
      <PasswordInput {...form.text('password')} label="Current password" required autoComplete="current-password" />
    </SubmitForm>
  )
}
