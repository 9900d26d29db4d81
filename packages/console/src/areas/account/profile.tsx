import { Button, Group, Paper, Text, TextInput } from '@mantine/core'
import { areas } from '@svc/contract'
import { client } from '../../parts/api/client.js'
import { currentSession } from '../../parts/api/current-session.js'
import { queryClient } from '../../parts/api/query-client.js'
import { formatDate } from '../../parts/format.js'
import { notifyDone } from '../../parts/notify.js'
import { fieldOf } from '../../parts/schema.js'
import { SubmitForm } from '../../parts/submit-form.js'
import { Hint } from '../../parts/text.js'
import { useSubmit } from '../../parts/use-submit.js'

type User = Awaited<ReturnType<typeof client.session.whoAmI>>['user']

/** The email, and the display name, which can be changed. */
export function Profile({ user }: { readonly user: User }) {
  const form = useSubmit({
    initial: { value: user.nickname },
    send: ({ value }) => client.account.profileUpdate({ field: 'nickname', value }),
    onDone: async ({ value }) => {
      form.set({ value })
      await queryClient.invalidateQueries(currentSession)
      notifyDone(value === '' ? 'The display name is removed.' : `Your display name is now ${value}.`)
    },
  })
  const buttons = (
    <Group justify="flex-end">
      <Button type="submit" loading={form.isPending} disabled={form.values.value === user.nickname}>
        Save the name
      </Button>
    </Group>
  )
  return (
    <Paper withBorder p="md" maw={560}>
      <SubmitForm form={form} buttons={buttons}>
        <div>
          <Text fw={500} style={{ overflowWrap: 'anywhere' }}>
            {user.email}
          </Text>
          <Hint>Account since {formatDate(user.created_at)}.</Hint>
        </div>
        <TextInput
          {...form.text('value')}
          label="Display name"
          description={fieldOf(areas.account.profileUpdate, 'value').description}
          autoComplete="nickname"
        />
      </SubmitForm>
    </Paper>
  )
}
