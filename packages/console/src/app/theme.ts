import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core'

/** Text in shade 7 on white, and white text on shade 7, have a contrast above 4.5 (WCAG 2.2, 1.4.3). */
const brand: MantineColorsTuple = [
  '#eef3ff',
  '#dbe4fb',
  '#b4c6f3',
  '#8aa6ec',
  '#678be6',
  '#517ae3',
  '#446fdd',
  '#345dc6',
  '#2b52b2',
  '#1c469e',
]

export const theme = createTheme({
  colors: { brand },
  primaryColor: 'brand',
  primaryShade: { light: 7, dark: 7 },
  autoContrast: true,
  defaultRadius: 'md',
  cursorType: 'pointer',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, monospace',
  components: {
    TextInput: { defaultProps: { autoComplete: 'off' } },
    // The title's own color has a contrast of about 2 on a yellow alert.
    Alert: { styles: { title: { color: 'var(--mantine-color-text)' } } },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 300 } },
    Modal: { defaultProps: { centered: true, closeButtonProps: { 'aria-label': 'Close' } } },
    Drawer: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
  },
})

/** Mantine's gray for secondary text has a contrast below 4.5 on white, and so has its shade of links on a dark card. */
export const cssVariables: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: { '--mantine-color-dimmed': colors.gray[7] },
  dark: { '--mantine-color-dimmed': colors.dark[1], '--mantine-color-anchor': brand[3] },
})
