import { useLocalStorage } from '@mantine/hooks'
import { useEffect, useEffectEvent, useRef } from 'react'
import { useNavigate } from 'react-router'
import { isPasswordAsked } from '../parts/api/session.js'
import { mainActIn, openerOf, rowSelector, rowsIn, searchFieldIn } from '../parts/key-targets.js'
import { isForPage } from '../parts/page-key.js'
import { headerHeight } from '../parts/shell-sizes.js'
import { meaningOf, type KeyAct } from './keys.js'

/** How long the next key of a sequence is waited for, in milliseconds. */
const sequenceMs = 1_500

/** Whether single keys are used. Users of speech input must be able to switch them off (WCAG 2.2, 2.1.4). */
export const useIsKeysOn = () => useLocalStorage({ key: 'svc-single-keys', defaultValue: true })

interface Options {
  /** Id of the element that has the page. */
  readonly pageId: string
  /** For a page without a search. */
  readonly openPalette: () => void
  readonly openHelp: () => void
}

/** Handles the single keys of `keys.ts`. */
export function useKeys({ pageId, openPalette, openHelp }: Options): void {
  const [isOn] = useIsKeysOn()
  const navigate = useNavigate()
  const typed = useRef({ keys: [] as readonly string[], at: 0 })

  const act = (name: KeyAct): boolean => {
    const page = document.getElementById(pageId) ?? document.body
    switch (name) {
      case 'search': {
        const field = searchFieldIn(page)
        if (field) focusAll(field)
        else openPalette()
        return true
      }
      case 'act':
        return press(mainActIn(page))
      case 'next':
        return moveRow(page, 1)
      case 'previous':
        return moveRow(page, -1)
      case 'open': {
        const row = document.activeElement
        // Links and buttons in a row open by themselves.
        return row?.matches(rowSelector) === true && press(openerOf(row))
      }
      case 'help':
        openHelp()
        return true
    }
  }

  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    const before = event.timeStamp - typed.current.at < sequenceMs ? typed.current.keys : []
    typed.current = { keys: [], at: 0 }
    if (!isOn || isHeld(event) || isPasswordAsked() || !isForPage(event)) return
    const keys = [...before, event.key]
    const meaning = meaningOf(keys)
    if (meaning === undefined) return
    if (meaning === 'unfinished') typed.current = { keys, at: event.timeStamp }
    else if ('path' in meaning) void navigate(`/${meaning.path}`)
    else if (!act(meaning.act)) return
    event.preventDefault()
  })
  useEffect(() => {
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [])
}

/** Only the keys between rows are held down. */
const isHeld = ({ repeat, key }: KeyboardEvent): boolean => repeat && key !== 'j' && key !== 'k'

function press(element: HTMLElement | undefined): boolean {
  element?.click()
  return element !== undefined
}

function focusAll(field: HTMLElement): void {
  field.focus()
  if (field instanceof HTMLInputElement) field.select()
}

/** Moves the focus to another row: from the one that has it, or to the first in view. */
function moveRow(page: Element, step: 1 | -1): boolean {
  const rows = rowsIn(page)
  const current = document.activeElement?.closest<HTMLElement>(rowSelector)
  const index = current ? rows.indexOf(current) : -1
  const inView = (row: HTMLElement) => row.getBoundingClientRect().top >= headerHeight
  const row = index === -1 ? (rows.find(inView) ?? rows[0]) : rows[index + step]
  row?.focus({ preventScroll: true })
  row?.scrollIntoView({ block: 'nearest' })
  return row !== undefined
}
