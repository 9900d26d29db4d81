import { Anchor } from '@mantine/core'
import { Link } from 'react-router'
import { isShortcut } from '../../parts/page-key.js'
import type { File } from './queries.js'

interface Props {
  readonly file: Pick<File, 'id' | 'name'>
  /** Opens the preview of the file. */
  readonly preview: (id: number) => void
}

/** The name of a file in the list. Enter opens its page, Space its preview. */
export function FileName({ file: { id, name }, preview }: Props) {
  return (
    <Anchor
      component={Link}
      to={`/files/${String(id)}`}
      size="sm"
      fw={500}
      lineClamp={2}
      title={name}
      data-file={id}
      aria-keyshortcuts="Space"
      onKeyDown={(event) => {
        if (event.key !== ' ' || event.shiftKey || event.repeat || isShortcut(event)) return
        event.preventDefault()
        preview(id)
      }}
    >
      {name}
    </Anchor>
  )
}

/** Moves the focus to the name of a file. @returns whether it is in the page */
export function focusFile(id: number): boolean {
  const name = document.querySelector<HTMLElement>(`[data-file="${String(id)}"]`)
  name?.focus()
  return name !== null
}
