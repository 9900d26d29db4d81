import { ActionIcon, Tooltip, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { IconMoon, IconSun } from '@tabler/icons-react'
import { useEffect } from 'react'

/** The page that the server sends next has these colors before its scripts run (`console/routes.ts` of the server). */
function keepForServer(colors: 'light' | 'dark' | 'auto'): void {
  const { pathname } = new URL(document.baseURI)
  const seconds = colors === 'auto' ? 0 : 31_536_000
  document.cookie = `svc_colors=${colors}; path=${pathname}; max-age=${String(seconds)}; samesite=strict`
}

/** Changes between light and dark. The system's setting decides until it is pressed. */
export function ColorSchemeButton() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  useEffect(() => {
    keepForServer(colorScheme)
  }, [colorScheme])
  const isDark = useComputedColorScheme('light') === 'dark'
  const label = isDark ? 'Use light colors' : 'Use dark colors'
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="default"
        size="lg"
        aria-label={label}
        onClick={() => setColorScheme(isDark ? 'light' : 'dark')}
      >
        {isDark ? <IconSun size={18} stroke={1.5} /> : <IconMoon size={18} stroke={1.5} />}
      </ActionIcon>
    </Tooltip>
  )
}
