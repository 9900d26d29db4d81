/** What was typed before the field it is meant for was ready. */
export interface TypedKeys {
  readonly text: string
  /** Whether Enter came after the text. */
  readonly isEntered: boolean
}

const none: TypedKeys = { text: '', isEntered: false }

/**
 * Collects the keys that are typed while the field they are meant for is not ready. Keys after Enter are dropped. Escape, Tab and a press
 * of the pointer leave the field before it is there: they end the collection.
 *
 * @returns a function that ends the collection, and returns what was typed
 */
export function collectTypedKeys(): () => TypedKeys {
  let typed = none
  const end = () => {
    removeEventListener('keydown', onKeyDown, { capture: true })
    removeEventListener('pointerdown', leave, { capture: true })
  }
  const leave = () => {
    typed = none
    end()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey } = event
    if (key === 'Escape' || key === 'Tab') leave()
    const next = ctrlKey || metaKey || altKey ? undefined : withKey(typed, key)
    if (next === undefined) return
    typed = next
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  addEventListener('keydown', onKeyDown, { capture: true })
  addEventListener('pointerdown', leave, { capture: true })
  return () => {
    end()
    return typed
  }
}

/** @returns undefined for a key that is not collected */
function withKey({ text, isEntered }: TypedKeys, key: string): TypedKeys | undefined {
  if (key === 'Enter') return { text, isEntered: true }
  if (key.length > 1 && key !== 'Backspace') return undefined
  if (isEntered) return { text, isEntered }
  return { text: key === 'Backspace' ? text.slice(0, -1) : text + key, isEntered }
}
