import { Button, Group, Paper, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { client } from '../../parts/api/client.js'
import { queryClient } from '../../parts/api/query-client.js'
import { Confirm } from '../../parts/confirm.js'
import { counted } from '../../parts/format.js'
import { keysQuery } from '../../parts/keys-query.js'
import { notifyDone } from '../../parts/notify.js'
import { Hint } from '../../parts/text.js'
import { useDialogInUrl } from '../../parts/url-state.js'
import { ChangeEmail } from './change-email.js'
import { ChangePassword } from './change-password.js'
import { DeleteAccount } from './delete-account.js'

/** Email, password, all API keys, and the end of the account. */
export function OwnChanges({ email }: { readonly email: string }) {
  const [address, password, end] = [useDialogInUrl('email'), useDialogInUrl('password'), useDialogInUrl('delete')]
  return (
    <Paper withBorder p="md" maw={560}>
      <ChangeEmail email={email} opened={address.isOpen} onClose={address.close} />
      <ChangePassword email={email} opened={password.isOpen} onClose={password.close} />
      <DeleteAccount email={email} opened={end.isOpen} onClose={end.close} />
      <Stack gap="md">
        <Row name="Email" hint="You sign in with it.">
          <Button variant="default" onClick={address.open}>
            Change the email
          </Button>
        </Row>
        <Row name="Password" hint="A new password signs out all other browsers.">
          <Button variant="default" onClick={password.open}>
            Change the password
          </Button>
        </Row>
        <Row name="API keys" hint="If a stranger may have one, and you do not know which.">
          <RevokeAll />
        </Row>
        <Row name="Account" hint="Delete it with everything that it has.">
          <Button variant="default" color="red" c="red" onClick={end.open}>
            Delete the account
          </Button>
        </Row>
      </Stack>
    </Paper>
  )
}

interface RowProps {
  readonly name: string
  readonly hint: string
  readonly children: ReactNode
}

const Row = ({ name, hint, children }: RowProps) => (
  <Group justify="space-between" gap="xs">
    <div style={{ flex: '1 1 220px', minWidth: 0, overflowWrap: 'anywhere' }}>
      <Text size="sm" fw={500}>
        {name}
      </Text>
      <Hint>{hint}</Hint>
    </div>
    {children}
  </Group>
)

const RevokeAll = () => (
  <Confirm
    title="Revoke all API keys?"
    action="Revoke all keys"
    run={async () => {
      const { revoked } = await client.keys.revokeAll()
      await queryClient.invalidateQueries(keysQuery)
      notifyDone(revoked === 0 ? 'There was no API key.' : `${counted(revoked, 'API key')} revoked.`)
    }}
    trigger={(open) => (
      <Button variant="default" c="red" onClick={open}>
        Revoke all API keys
      </Button>
    )}
  >
    Every program that uses a key of this account is refused from its next request on. Revoked keys cannot be restored.
    This browser stays signed in.
  </Confirm>
)
