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

/**
 * Gives the focus back if a frame takes it by itself, as the viewers of browsers do when they have loaded: the next keys of the user would
 * be lost. The user goes into the frame with the pointer or with Tab.
 */
function useKeptFocus(frame: RefObject<HTMLIFrameElement | null>): void {
  useEffect(() => {
    let focused: unknown = document.activeElement
    let isTab = false
    const onFocusIn = ({ target }: FocusEvent) => {
      if (target !== frame.current) focused = target
    }
    const onKeyDown = ({ key }: KeyboardEvent) => {
      isTab = key === 'Tab'
    }
    const onBlur = () => {
      const { current } = frame
      if (current === null || document.activeElement !== current || isTab || current.matches(':hover')) return
      if (focused instanceof HTMLElement && focused.isConnected) focused.focus({ preventScroll: true })
      else current.blur()
    }
    document.addEventListener('focusin', onFocusIn)
    addEventListener('keydown', onKeyDown, { capture: true })
    addEventListener('blur', onBlur)
    return () => {
      document.removeEventListener('focusin', onFocusIn)
      removeEventListener('keydown', onKeyDown, { capture: true })
      removeEventListener('blur', onBlur)
    }
  }, [frame])
}
