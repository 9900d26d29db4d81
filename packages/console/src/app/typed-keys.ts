const fields = 'input, textarea, select, [contenteditable]'

/**
 * Collects the text that is typed while the field it is meant for is not on the page yet. Enter does nothing meanwhile. Escape, or a key
 * in a field that was entered since, ends the collection.
 *
 * @returns a function that ends the collection, and returns the text
 */
export function collectTypedKeys(): () => string {
  let text = ''
  const focused = document.activeElement
  const end = () => removeEventListener('keydown', onKeyDown, { capture: true })
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, target, ctrlKey, metaKey, altKey } = event
    const isElsewhere = target !== focused && target instanceof Element && target.matches(fields)
    if (key === 'Escape' || isElsewhere) {
      text = ''
      end()
      return
    }
    if (ctrlKey || metaKey || altKey) return
    if (key.length === 1) text += key
    else if (key === 'Backspace') text = text.slice(0, -1)
    else if (key !== 'Enter') return
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  addEventListener('keydown', onKeyDown, { capture: true })
  return () => {
    end()
    return text
  }
}
