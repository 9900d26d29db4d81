import { Badge, Button, Group, Text, Tooltip } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { client } from '../../parts/api/client.js'
import { queryClient } from '../../parts/api/query-client.js'
import { actionsColumn, timeColumn } from '../../parts/columns.js'
import { Confirm } from '../../parts/confirm.js'
import { DataTable, type Column } from '../../parts/data-table.js'
import { counted } from '../../parts/format.js'
import { notifyDone } from '../../parts/notify.js'
import { QueryView } from '../../parts/query-view.js'
import { browserName } from '../../parts/browser-name.js'
import { sessionsQuery } from './queries.js'

type Session = Awaited<ReturnType<typeof client.account.sessionList>>['sessions'][number]

/** The browsers that are signed in. @param currentId of the session of this browser */
export function Sessions({ currentId }: { readonly currentId: number | undefined }) {
  const query = useQuery(sessionsQuery)
  return (
    <QueryView query={query}>
      {({ sessions }) => (
        <>
          <DataTable
            label="Sessions"
            rows={sessions}
            rowKey={({ id }) => id}
            columns={[
              {
                key: 'browser',
                header: 'Browser',
                sortBy: ({ user_agent }) => browserName(user_agent),
                cell: (session) => <Browser session={session} isCurrent={session.id === currentId} />,
              },
              ...columns,
              actionsColumn((session: Session) => session.id !== currentId && <Revoke {...session} />),
            ]}
          />
          {sessions.length > 1 && <RevokeOthers />}
        </>
      )}
    </QueryView>
  )
}

const columns: readonly Column<Session>[] = [
  {
    key: 'ip',
    header: 'IP address',
    wideOnly: true,
    sortBy: ({ ip }) => ip,
    cell: ({ ip }) => (
      <Text size="sm" ff="monospace">
        {ip}
      </Text>
    ),
  },
  timeColumn('last_seen_at', 'Last seen'),
  timeColumn('created_at', 'Signed in', { wideOnly: true }),
]

function Browser({ session, isCurrent }: { readonly session: Session; readonly isCurrent: boolean }) {
  return (
    <Group gap="xs">
      <Tooltip label={session.user_agent || 'The browser sent no name.'} multiline maw={420}>
        <Text size="sm" fw={500}>
          {browserName(session.user_agent)}
        </Text>
      </Tooltip>
      {isCurrent && (
        <Badge variant="light" size="sm">
          This browser
        </Badge>
      )}
    </Group>
  )
}

function Revoke({ id, user_agent, ip }: Session) {
  const name = browserName(user_agent)
  return (
    <Confirm
      title={`Sign out ${name}?`}
      action="Sign out the browser"
      run={async () => {
        await client.account.sessionRevoke({ id })
        await queryClient.invalidateQueries(sessionsQuery)
        notifyDone(`${name} is signed out.`)
      }}
      trigger={(open) => (
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          onClick={open}
          aria-label={`Sign out ${name} (session ${String(id)})`}
        >
          Sign out
        </Button>
      )}
    >
      The browser at {ip} must sign in again. If you did not sign in there, change your password, too.
    </Confirm>
  )
}

function RevokeOthers() {
  return (
    <Group>
      <Confirm
        title="Sign out all other browsers?"
        action="Sign out the others"
        run={async () => {
          const { revoked } = await client.session.revokeOthers()
          await queryClient.invalidateQueries(sessionsQuery)
          notifyDone(`${counted(revoked, 'other browser')} signed out.`)
        }}
        trigger={(open) => (
          <Button variant="default" color="red" onClick={open}>
            Sign out all other browsers
          </Button>
        )}
      >
        This browser stays signed in. API keys stay valid.
      </Confirm>
    </Group>
  )
}
