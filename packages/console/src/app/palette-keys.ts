/** The keys of the command palette, as ARIA and as this system writes them. */
export const paletteKeys = {
  all: 'Control+K Meta+K',
  shown: /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘ K' : 'Ctrl K',
}
