/** Writes a text to the clipboard. @throws Error if the browser refuses it */
export async function copyText(text: string): Promise<void> {
  // Browsers offer it only on pages with TLS, and on localhost.
  if ('clipboard' in navigator) await navigator.clipboard.writeText(text)
  else copySelected(text)
}

/** Copies a text on a page without TLS, where the browser copies only a selection. */
function copySelected(text: string): void {
  const area = document.createElement('textarea')
  const focused = document.activeElement
  area.value = text
  area.style.position = 'fixed'
  area.style.opacity = '0'
  document.body.append(area)
  area.select()
  // oxlint-disable-next-line typescript/no-deprecated -- browsers have no other way there
  const isCopied = document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true })
  if (!isCopied) throw new Error('The browser does not copy on this page. Select the text and copy it yourself.')
}
