import { Anchor } from '@mantine/core'
import { IconChevronLeft } from '@tabler/icons-react'
import type { MouseEvent } from 'react'
import { Link, useNavigate } from 'react-router'
import classes from './page.module.css'
import { isShortcut } from './page-key.js'
import { placeInHistory, places } from './places.js'

interface Props {
  readonly label: string
  readonly path: string
}

/** The link to the page that lists this one. If the user came from there, it is the way back, which keeps the filter and the place. */
export function AboveLink({ label, path }: Props) {
  const navigate = useNavigate()
  const goBack = (event: MouseEvent) => {
    const place = placeInHistory()
    const isPlain = event.button === 0 && !event.shiftKey && !isShortcut(event)
    if (!isPlain || place === undefined || places.paths[place - 1] !== path) return
    event.preventDefault()
    void navigate(-1)
  }
  return (
    <Anchor component={Link} to={path} onClick={goBack} size="sm" className={classes['above']}>
      <IconChevronLeft size={16} aria-hidden />
      {label}
    </Anchor>
  )
}
