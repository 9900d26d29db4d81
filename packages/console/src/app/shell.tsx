import {
  Anchor,
  AppShell,
  Burger,
  Group,
  Kbd,
  NavLink,
  ScrollArea,
  Text,
  UnstyledButton,
  VisuallyHidden,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconBook, IconSearch } from '@tabler/icons-react'
import { useEffect, type ReactNode } from 'react'
import { Link, useLocation } from 'react-router'
import { areas } from './areas.js'
import { groups, type ConsoleArea } from '../parts/area.js'
import { serverPath } from '../parts/api/base.js'
import { ColorSchemeButton } from './color-scheme.js'
import { LoadingBar } from './loading-bar.js'
import { headerHeight } from '../parts/shell-sizes.js'
import { ServerStrip } from './server-strip.js'
import { usePalette } from './use-palette.js'
import { UserMenu } from './user-menu.js'
import classes from './shell.module.css'

const mainId = 'page'

/** The keys of the command palette, as ARIA and as this system writes them. */
const searchKeys = { all: 'Control+K Meta+K', shown: /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘ K' : 'Ctrl K' }

/** The frame of every page: navigation, search, and the account. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const [isOpen, { toggle, close }] = useDisclosure(false)
  const { pathname } = useLocation()
  useEffect(close, [pathname, close])
  const palette = usePalette()
  return (
    <AppShell
      header={{ height: headerHeight }}
      navbar={{ width: 230, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'md', md: 'xl' }}
    >
      <SkipLink />
      <LoadingBar />
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Navigation" />
            <Anchor component={Link} to="/" underline="never" fw={700} fz="lg" c="inherit">
              svc
            </Anchor>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <UnstyledButton className={classes['search']} onClick={palette.open} aria-keyshortcuts={searchKeys.all}>
              <IconSearch size={16} aria-hidden />
              <VisuallyHidden hiddenFrom="sm">Search</VisuallyHidden>
              <Text size="sm" visibleFrom="sm" mr="xl">
                Search
              </Text>
              <Kbd size="xs" visibleFrom="sm" aria-hidden>
                {searchKeys.shown}
              </Kbd>
            </UnstyledButton>
            <ColorSchemeButton />
            <UserMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar aria-label="Areas">
        <AppShell.Section grow component={ScrollArea} px="xs" py="sm">
          {groups.map((group) => (
            <NavigationGroup key={group} group={group} />
          ))}
        </AppShell.Section>
        <AppShell.Section p="xs" className={classes['foot']}>
          <NavLink
            href={`${serverPath}/reference`}
            target="_blank"
            label="API reference"
            leftSection={<IconBook size={18} stroke={1.5} />}
          />
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id={mainId} tabIndex={-1} style={{ outline: 'none' }}>
        <ServerStrip />
        <div className={classes['page']}>{children}</div>
        {palette.Palette && <palette.Palette opening={palette.opening} takeTyped={palette.takeTyped} />}
      </AppShell.Main>
    </AppShell>
  )
}

/** The first stop of the Tab key. It moves only the focus: because of the page's `base`, its link would open another page. */
function SkipLink() {
  return (
    <a
      href={`#${mainId}`}
      className={classes['skip']}
      onClick={(event) => {
        event.preventDefault()
        document.getElementById(mainId)?.focus()
      }}
    >
      Skip to the page
    </a>
  )
}

function NavigationGroup({ group }: { readonly group: ConsoleArea['group'] }) {
  const { pathname } = useLocation()
  const current = pathname.split('/')[1] ?? ''
  return (
    <div className={classes['group']}>
      {group !== 'Start' && (
        <Text size="xs" fw={600} c="dimmed" px="sm" mb={4} tt="uppercase">
          {group}
        </Text>
      )}
      {areas
        .filter((area) => area.group === group)
        .map(({ label, path, icon: Icon }) => (
          <NavLink
            key={path}
            component={Link}
            to={`/${path}`}
            label={label}
            active={path === current}
            aria-current={path === current ? 'page' : undefined}
            leftSection={<Icon size={18} stroke={1.5} />}
            className={classes['link']}
          />
        ))}
    </div>
  )
}
