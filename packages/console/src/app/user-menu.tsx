import { ActionIcon, Menu } from '@mantine/core'
import { IconKey, IconKeyboard, IconLogout, IconUser } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { currentSession } from '../parts/api/current-session.js'
import { KeyCaps } from './key-caps.js'
import { pageKeys } from './keys.js'
import { signOut } from './sign-out.js'

/** The signed-in account, with links to its pages, the keys and the sign-out. */
export function UserMenu({ openHelp }: { readonly openHelp: () => void }) {
  const { data } = useQuery(currentSession)
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
        <Menu.Item
          leftSection={<IconKeyboard size={16} />}
          rightSection={<KeyCaps keys={pageKeys.help.keys.join(' ')} />}
          onClick={openHelp}
        >
          Keyboard shortcuts
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void signOut()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
