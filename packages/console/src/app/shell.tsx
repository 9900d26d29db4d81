import {
  Anchor,
  AppShell,
  Burger,
  Group,
  Kbd,
  NavLink,
  ScrollArea,
  Text,
  Tooltip,
  UnstyledButton,
  VisuallyHidden,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconBook, IconSearch } from '@tabler/icons-react'
import { lazy, Suspense, useEffect, type ReactNode } from 'react'
import { Link, useLocation } from 'react-router'
import { areas } from './areas.js'
import { groups, type ConsoleArea } from '../parts/area.js'
import { serverPath } from '../parts/api/base.js'
import { ColorSchemeButton } from './color-scheme.js'
import { KeyCaps } from './key-caps.js'
import { keysOf } from './keys.js'
import { LoadingBar } from './loading-bar.js'
import { paletteKeys } from './palette-keys.js'
import { mainActIn } from '../parts/key-targets.js'
import { headerHeight } from '../parts/shell-sizes.js'
import { ServerStrip } from './server-strip.js'
import { useKeys } from './use-keys.js'
import { usePalette } from './use-palette.js'
import { UserMenu } from './user-menu.js'
import classes from './shell.module.css'

const mainId = 'page'

const KeysHelp = lazy(async () => ({ default: (await import('./keys-help.js')).KeysHelp }))

/** The frame of every page: navigation, search, and the account. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const [isOpen, { toggle, close }] = useDisclosure(false)
  const { pathname } = useLocation()
  useEffect(close, [pathname, close])
  const palette = usePalette()
  const [isHelpOpen, help] = useDisclosure(false)
  useKeys({ pageId: mainId, openPalette: palette.open, openHelp: help.open })
  return (
    <AppShell
      header={{ height: headerHeight }}
      navbar={{ width: 230, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'md', md: 'xl' }}
    >
      <SkipLinks />
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
            <UnstyledButton className={classes['search']} onClick={palette.open} aria-keyshortcuts={paletteKeys.all}>
              <IconSearch size={16} aria-hidden />
              <VisuallyHidden hiddenFrom="sm">Search</VisuallyHidden>
              <Text size="sm" visibleFrom="sm" mr="xl">
                Search
              </Text>
              <Kbd size="xs" visibleFrom="sm" aria-hidden>
                {paletteKeys.shown}
              </Kbd>
            </UnstyledButton>
            <ColorSchemeButton />
            <UserMenu openHelp={help.open} />
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
        {palette.Palette && (
          <palette.Palette opening={palette.opening} takeTyped={palette.takeTyped} openHelp={help.open} />
        )}
        <Suspense>{isHelpOpen && <KeysHelp opened onClose={help.close} />}</Suspense>
      </AppShell.Main>
    </AppShell>
  )
}

/** The first stops of the Tab key. They move only the focus: because of the page's `base`, their links would open another page. */
function SkipLinks() {
  const page = () => document.getElementById(mainId)
  const main = () => {
    const within = page()
    return within && (mainActIn(within) ?? within)
  }
  return (
    <>
      <SkipLink to={page}>Skip to the content</SkipLink>
      <SkipLink to={main}>Skip to the main button</SkipLink>
    </>
  )
}

function SkipLink({ to, children }: { readonly to: () => HTMLElement | null; readonly children: ReactNode }) {
  return (
    <a
      href={`#${mainId}`}
      className={classes['skip']}
      onClick={(event) => {
        event.preventDefault()
        to()?.focus()
      }}
    >
      {children}
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
        .map(({ label, path, key, icon: Icon }) => (
          <Tooltip
            key={path}
            label={
              <>
                {label} <KeyCaps keys={keysOf({ key })} />
              </>
            }
            position="right"
            openDelay={700}
          >
            <NavLink
              component={Link}
              to={`/${path}`}
              label={label}
              active={path === current}
              aria-current={path === current ? 'page' : undefined}
              leftSection={<Icon size={18} stroke={1.5} />}
              className={classes['link']}
            />
          </Tooltip>
        ))}
    </div>
  )
}
