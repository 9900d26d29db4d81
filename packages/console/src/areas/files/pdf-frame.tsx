import { useEffect, useRef, type RefObject } from 'react'
import { previewUrl } from './links.js'
import type { File } from './queries.js'

interface Props {
  readonly file: File
  readonly className: string | undefined
}

/** Shows a PDF file. Not in a sandbox, in which some browsers show none. */
export function PdfFrame({ file: { id, name }, className }: Props) {
  const frame = useRef<HTMLIFrameElement>(null)
  useKeptFocus(frame)
  return <iframe ref={frame} src={previewUrl(id)} title={name} className={className} />
}

const isBehindDialog = (frame: HTMLElement): boolean =>
  [...document.querySelectorAll('[aria-modal="true"]')].some(
    (dialog) => dialog.checkVisibility() && !dialog.contains(frame),
  )

/**
 * Gives the focus back if a frame takes it by itself, as the viewers of browsers do when they have loaded: the next keys of the user would
 * be lost. The user goes into the frame with the pointer or with Tab.
 */
function useKeptFocus(frame: RefObject<HTMLIFrameElement | null>): void {
  useEffect(() => {
    let focused: unknown = document.activeElement
    let isTab = false
    const onFocusIn = ({ target }: FocusEvent) => {
      if (target === frame.current) check()
      else focused = target
    }
    const onKeyDown = ({ key }: KeyboardEvent) => {
      isTab = key === 'Tab'
    }
    const check = () => {
      const { current } = frame
      if (current === null || document.activeElement !== current) return
      if (!isBehindDialog(current) && (isTab || current.matches(':hover'))) return
      if (focused instanceof HTMLElement && focused.isConnected) focused.focus({ preventScroll: true })
      else current.blur()
    }
    document.addEventListener('focusin', onFocusIn)
    addEventListener('keydown', onKeyDown, { capture: true })
    // Browsers differ in which of these events they send for a frame. The frame is the active element after them.
    const checkLater = () => void setTimeout(check)
    document.addEventListener('focusout', checkLater)
    addEventListener('blur', checkLater)
    return () => {
      document.removeEventListener('focusin', onFocusIn)
      removeEventListener('keydown', onKeyDown, { capture: true })
      document.removeEventListener('focusout', checkLater)
      removeEventListener('blur', checkLater)
    }
  }, [frame])
}
