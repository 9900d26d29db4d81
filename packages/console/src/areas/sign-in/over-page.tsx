import { Modal } from '@mantine/core'
import { useEffect, useSyncExternalStore, type ReactNode } from 'react'
import type { PausedCalls } from '../../parts/api/paused-calls.js'

/** Above every dialog and notice: the command palette has Mantine's highest, 9999. */
const zIndex = 10_000

/** The place of these dialogs in the document. The other dialogs share another place, which is inert while one of these is open. */
const layer = document.body.appendChild(document.createElement('div'))

/** Makes everything beside the dialog inert: a dialog below it would take the focus, keys and clicks. */
function useInertPage(isInert: boolean): void {
  useEffect(() => {
    if (!isInert) return undefined
    // Elements that are added later stay active: the list of a password manager appears beside the page.
    const rest = Array.from(document.body.querySelectorAll<HTMLElement>(':scope > :not(script)')).filter(
      (element) => element !== layer && !element.inert,
    )
    for (const element of rest) element.inert = true
    return () => {
      for (const element of rest) element.inert = false
    }
  }, [isInert])
}

/**
 * Escape would also close the dialogs below, with their input: each of them listens at the window. This listener is the first one there
 * if a module adds it, before any dialog is shown.
 */
export function leaveOnEscape(calls: PausedCalls, leave: () => void): void {
  addEventListener(
    'keydown',
    (event) => {
      if (event.key !== 'Escape' || event.isComposing || !calls.isWaiting()) return
      event.stopImmediatePropagation()
      leave()
    },
    { capture: true },
  )
}

interface Props {
  readonly calls: PausedCalls
  readonly leave: () => void
  readonly title: string
  readonly children: ReactNode
}

/** A dialog above the page and its dialogs, which keep their input, while calls wait for the password. */
export function OverPage({ calls, leave, title, children }: Props) {
  const isOpen = useSyncExternalStore(calls.subscribe, calls.isWaiting)
  useInertPage(isOpen)
  return (
    <Modal opened={isOpen} onClose={leave} title={title} zIndex={zIndex} portalProps={{ target: layer }}>
      {children}
    </Modal>
  )
}
