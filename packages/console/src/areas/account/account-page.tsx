import { Button, Stack, Title } from '@mantine/core'
import { IconHistory, IconKey } from '@tabler/icons-react'
import { areas } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { currentSession } from '../../parts/api/current-session.js'
import { Page } from '../../parts/page.js'
import { QueryView } from '../../parts/query-view.js'
import { Note } from '../../parts/text.js'
import { Notices } from './notices.js'
import { OwnChanges } from './own-changes.js'
import { Profile } from './profile.js'
import { Sessions } from './sessions.js'

/** The user's profile, what the user changes with the password, and the browsers that are signed in. */
export function AccountPage() {
  const current = useQuery(currentSession)
  return (
    <Page
      title="Account"
      lead="Your name, email and password, and the browsers that are signed in as you."
      actions={
        <>
          <Button component={Link} to="/activity" variant="default" leftSection={<IconHistory size={16} />}>
            Activity
          </Button>
          <Button component={Link} to="/account/keys" variant="default" leftSection={<IconKey size={16} />}>
            API keys
          </Button>
        </>
      }
      requests={[
        { op: areas.account.profileUpdate },
        { op: areas.account.sessionList },
        { op: areas.account.sessionRevoke },
        { op: areas.account.sessionRevokeAll },
        { op: areas.account.noticeList },
        { op: areas.account.noticeUpdate },
      ]}
    >
      <QueryView query={current}>
        {({ user }) => (
          <>
            <Profile user={user} />
            <OwnChanges email={user.email} />
            <Notices email={user.email} />
          </>
        )}
      </QueryView>
      <Stack gap="sm" component="section" aria-labelledby="sessions">
        <Title order={2} size="h3" id="sessions">
          Sessions
        </Title>
        <Sessions currentId={current.data?.session.id} />
      </Stack>
      {current.data && <Note>This server runs svc {current.data.version}.</Note>}
    </Page>
  )
}
