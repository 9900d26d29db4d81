/**
 * Collects the text that is typed while the field it is meant for is not on the page yet. Enter does nothing meanwhile.
 *
 * @returns a function that ends the collection, and returns the text
 */
export function collectTypedKeys(): () => string {
  let text = ''
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey } = event
    if (ctrlKey || metaKey || altKey) return
    if (key.length === 1) text += key
    else if (key === 'Backspace') text = text.slice(0, -1)
    else if (key !== 'Enter') return
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  addEventListener('keydown', onKeyDown, { capture: true })
  return () => {
    removeEventListener('keydown', onKeyDown, { capture: true })
    return text
  }
}
