import { ActionIcon, Menu } from '@mantine/core'
import { IconKey, IconLogout, IconUser } from '@tabler/icons-react'
import { SvcError } from '@svc/client'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { notifyError } from '../parts/notify.js'
import { client } from '../parts/api/client.js'
import { currentSession } from '../parts/api/current-session.js'
import { queryClient } from '../parts/api/query-client.js'
import { sendRemoval } from '../parts/removal/removal.js'

/** Also after a session has expired. */
function leave(): void {
  queryClient.clear()
  location.reload()
}

/** The signed-in account, with links to its pages and the sign-out. */
export function UserMenu() {
  const { data } = useQuery(currentSession)
  const signOut = useMutation({
    mutationFn: async () => {
      await sendRemoval()
      return client.session.signOut()
    },
    onSuccess: leave,
    onError: (error) => {
      if (error instanceof SvcError && error.code === 'unauthorized') leave()
      else notifyError(error)
    },
  })
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon variant="default" size="lg" aria-label="Account menu">
          <IconUser size={18} stroke={1.5} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{data?.user.email}</Menu.Label>
        <Menu.Item component={Link} to="/account" leftSection={<IconUser size={16} />}>
          Profile and sessions
        </Menu.Item>
        <Menu.Item component={Link} to="/account/keys" leftSection={<IconKey size={16} />}>
          API keys
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => signOut.mutate()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
