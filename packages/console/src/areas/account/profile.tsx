import { Button, Group, Paper, Stack, Text, TextInput } from '@mantine/core'
import { areas } from '@svc/contract'
import { useState } from 'react'
import { client } from '../../app/client.js'
import { currentSession } from '../../app/current-session.js'
import { queryClient } from '../../app/query-client.js'
import { ErrorNote } from '../../parts/errors.js'
import { formatDate } from '../../parts/format.js'
import { notifyDone } from '../../parts/notify.js'
import { fieldOf } from '../../parts/schema.js'
import { useSubmit } from '../../parts/use-submit.js'

type User = Awaited<ReturnType<typeof client.session.whoAmI>>['user']

/** The email, and the display name, which can be changed. */
export function Profile({ user }: { readonly user: User }) {
  const [nickname, setNickname] = useState(user.nickname)
  const { submit, isPending, problem, error } = useSubmit({
    fields: ['value'],
    input: { value: nickname },
    send: (input: { value: string }) => client.account.profileUpdate({ field: 'nickname', ...input }),
    onDone: async ({ value }) => {
      setNickname(value)
      await queryClient.invalidateQueries(currentSession)
      notifyDone(value === '' ? 'The display name is removed.' : `Your display name is now ${value}.`)
    },
  })
  return (
    <Paper withBorder p="md" maw={560}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <Stack>
          <div>
            <Text fw={500} style={{ overflowWrap: 'anywhere' }}>
              {user.email}
            </Text>
            <Text size="xs" c="dimmed">
              Account since {formatDate(user.created_at)}. Only the operator of this server can change the email and the
              password.
            </Text>
          </div>
          <TextInput
            label="Display name"
            description={fieldOf(areas.account.profileUpdate, 'value').description}
            autoComplete="nickname"
            value={nickname}
            onChange={(event) => setNickname(event.currentTarget.value)}
            error={problem('value')}
          />
          {error && <ErrorNote error={error} />}
          <Group justify="flex-end">
            <Button type="submit" loading={isPending} disabled={nickname === user.nickname}>
              Save the name
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  )
}
