import { alpha, createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core'

/** Text in shade 7 on white, and white text on shade 7, have a contrast above 4.5 (WCAG 2.2, 1.4.3). */
const brand: MantineColorsTuple = [
  '#eef3ff',
  '#dbe4fb',
  '#b4c6f3',
  '#9ab3f0',
  '#678be6',
  '#517ae3',
  '#446fdd',
  '#345dc6',
  '#2b52b2',
  '#1c469e',
]

/** Mantine's red with a darker shade 7: white text on the original one has a contrast of 3.6. */
const red: MantineColorsTuple = [
  '#fff5f5',
  '#ffe3e3',
  '#ffc9c9',
  '#ffa8a8',
  '#ff8787',
  '#ff6b6b',
  '#fa5252',
  '#d92c2c',
  '#c92a2a',
  '#b02525',
]

export const theme = createTheme({
  colors: { brand, red },
  primaryColor: 'brand',
  primaryShade: { light: 7, dark: 7 },
  autoContrast: true,
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, monospace',
  components: {
    TextInput: { defaultProps: { autoComplete: 'off' } },
    // Mantine's color of the title has a contrast of about 2 on a yellow alert.
    Alert: { styles: { title: { color: 'var(--mantine-color-text)' } } },
    // Teal, orange and yellow text on its own light shade has a contrast below 4.5.
    Badge: {
      defaultProps: { tt: 'none', variant: 'light' },
      vars: (_theme: unknown, { variant }: { readonly variant?: string }) => ({
        root: variant === 'light' ? { '--badge-color': 'var(--mantine-color-text)' } : {},
      }),
    },
    // In dark colors, Mantine's cards have another background than its papers: the console uses both.
    Card: { styles: { root: { backgroundColor: 'var(--mantine-color-body)' } } },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 300 } },
    Modal: { defaultProps: { centered: true, closeButtonProps: { 'aria-label': 'Close' } } },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    Drawer: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    // At the top: centered, it would move with each letter, as the number of results changes.
    Spotlight: { defaultProps: { centered: false } },
  },
})

/** Mantine's gray for secondary text, its red for errors, and its links on a dark card have a contrast below 4.5. */
export const cssVariables: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: { '--mantine-color-dimmed': colors.gray[7], '--mantine-color-error': colors.red[9] },
  dark: {
    // Mantine's titles are darker than the text of its buttons.
    '--mantine-color-text': '#e6e6e9',
    '--mantine-color-dimmed': colors.dark[1],
    '--mantine-color-error': colors.red[4],
    '--mantine-color-anchor': brand[3],
    ...Object.fromEntries(Object.entries(colors).flatMap(([name, shades]) => tints(name, shades))),
  },
})

/**
 * The colors of light and subtle buttons, alerts and badges in dark colors. Mantine's have a saturated background, and white text: a
 * button that deletes would look like any other one.
 */
const tints = (name: string, shades: MantineColorsTuple): readonly (readonly [string, string])[] => [
  [`--mantine-color-${name}-light`, alpha(shades[5], 0.14)],
  [`--mantine-color-${name}-light-hover`, alpha(shades[5], 0.22)],
  [`--mantine-color-${name}-light-color`, shades[3]],
]
