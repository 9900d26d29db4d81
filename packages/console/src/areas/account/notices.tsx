import { Paper, Stack, Switch, Title } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { client } from '../../parts/api/client.js'
import { queryClient } from '../../parts/api/query-client.js'
import { notifyDone } from '../../parts/notify.js'
import { QueryView } from '../../parts/query-view.js'
import { Note } from '../../parts/text.js'
import { useSingleMutation } from '../../parts/use-single-mutation.js'

const noticesQuery = queryOptions({ queryKey: ['account', 'noticeList'], queryFn: () => client.account.noticeList() })

type Notice = Awaited<ReturnType<typeof client.account.noticeList>>['notices'][number]

/** Which e-mails the account gets. */
export function Notices({ email }: { readonly email: string }) {
  const query = useQuery(noticesQuery)
  return (
    <Stack gap="sm" component="section" aria-labelledby="notices">
      <Title order={2} size="h3" id="notices">
        E-mails
      </Title>
      <QueryView query={query}>
        {({ available, notices }) => (
          <Paper withBorder p="md" maw={560}>
            <Stack gap="md">
              <Note>
                {available
                  ? `You get e-mails to ${email}, at most one an hour about the same thing.`
                  : 'This server sends no e-mails: its operator has set no mail server. Your choices are kept.'}
              </Note>
              {notices.map((notice) => (
                <Choice key={notice.kind} notice={notice} />
              ))}
            </Stack>
          </Paper>
        )}
      </QueryView>
    </Stack>
  )
}

function Choice({ notice: { kind, what, by_email: isOn } }: { readonly notice: Notice }) {
  const choose = useSingleMutation({
    mutationFn: (isWanted: boolean) => client.account.noticeUpdate({ kind, by_email: isWanted }),
    onSuccess: async ({ by_email: isWanted }) => {
      await queryClient.invalidateQueries(noticesQuery)
      notifyDone(isWanted ? `You get e-mails about ${what} again.` : `You get no more e-mails about ${what}.`)
    },
  })
  return (
    <Switch
      label={`${what.charAt(0).toUpperCase()}${what.slice(1)}`}
      checked={choose.isPending ? choose.variables : isOn}
      onChange={(event) => choose.mutate(event.currentTarget.checked)}
    />
  )
}
