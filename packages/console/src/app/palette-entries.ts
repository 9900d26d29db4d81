import { useMantineColorScheme } from '@mantine/core'
import { IconKeyboard, IconLogout, IconMoon, IconSun, IconSunMoon } from '@tabler/icons-react'
import { useMemo, type ComponentType } from 'react'
import type { Found } from './palette-search.js'
import { areas } from './areas.js'
import { keysOf, pageKeys } from './keys.js'
import type { Recent } from '../parts/recent.js'
import { signOut } from './sign-out.js'
import type { ConsoleArea } from '../parts/area.js'

/** An entry of the command palette. */
export interface Entry {
  readonly id: string
  readonly label: string
  /** Beside the label. */
  readonly detail: string
  /** Found by these words too. */
  readonly words: string
  readonly icon: ComponentType<{ readonly size?: number | string; readonly stroke?: number | string }>
  /** The keys that do the same. */
  readonly keys?: string
  /** A path below /console, or a function. */
  readonly opens: string | (() => void)
}

const pages: readonly Entry[] = areas.flatMap((area) => [
  { ...entryOf(area, { label: area.label, path: area.path, detail: '' }), keys: keysOf(area) },
  ...(area.commands ?? []).map(({ words = '', ...command }) => ({
    ...entryOf(area, { ...command, detail: area.label }),
    words,
  })),
])

function entryOf({ icon }: Pick<ConsoleArea, 'icon'>, { label, detail, path }: Recent): Entry {
  return { id: `${path} ${label}`, label, detail, words: '', icon, opens: path }
}

/** Pages, commands and acts. @param openHelp shows the keys */
export function useEntries(openHelp: () => void): readonly Entry[] {
  const { setColorScheme } = useMantineColorScheme()
  return useMemo(() => {
    const act = (label: string, icon: Entry['icon'], words: string, opens: () => void): Entry => ({
      ...{ id: label, label, icon, words, opens },
      detail: '',
    })
    return [
      ...pages,
      act('Dark theme', IconMoon, 'colors mode', () => setColorScheme('dark')),
      act('Light theme', IconSun, 'colors mode', () => setColorScheme('light')),
      act('Theme of the system', IconSunMoon, 'dark light colors mode', () => setColorScheme('auto')),
      { ...act('Keyboard shortcuts', IconKeyboard, 'keys help', openHelp), keys: pageKeys.help.keys.join(' ') },
      act('Sign out', IconLogout, 'log out leave', () => void signOut()),
    ]
  }, [setColorScheme, openHelp])
}

/** A result of the server. @returns undefined for a kind that this version does not know */
export function foundEntry({ kind, label, detail, path }: Found): Entry | undefined {
  const area = areas.find(({ finds }) => finds?.[kind])
  const opened = area?.finds?.[kind]?.(path.map((part) => encodeURIComponent(part)))
  if (area === undefined || opened === undefined) return undefined
  const entry = entryOf(area, { label, detail: detail === '' ? area.label : detail, path: opened })
  return { ...entry, id: `${kind} ${entry.id}` }
}

/** A recently opened entry. @returns undefined if its area no longer exists */
export function recentEntry(recent: Recent): Entry | undefined {
  const area = areas.find(({ path }) => path === recent.path.split(/[/?#]/, 1)[0])
  return area && entryOf(area, recent)
}
