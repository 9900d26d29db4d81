import { Group, Stack, Text, Title } from '@mantine/core'
import { useEffect, useRef, type ReactNode } from 'react'
import { useLocation } from 'react-router'
import { AboveLink } from './above-link.js'
import { pageActions } from './key-targets.js'
import classes from './page.module.css'
import { Requests, type PageRequest } from './requests.js'

interface Props {
  readonly title: string
  /** One sentence below the title. */
  readonly lead?: ReactNode
  /** The page that lists this one. */
  readonly above?: { readonly label: string; readonly path: string }
  /** Buttons beside the title, the main one last. */
  readonly actions?: ReactNode
  /** The operations that this page calls, which it shows as commands. */
  readonly requests?: readonly PageRequest[]
  readonly children: ReactNode
}

/** A page: its title, its buttons, and the requests behind it. */
export function Page({ title, lead, above, actions, requests, children }: Props) {
  const list = above?.label
  useEffect(() => {
    document.title = [title, list, 'svc'].filter((part) => part !== undefined).join(' · ')
  }, [title, list])
  const heading = useFocusAfterNavigation()
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start" gap="sm" className={classes['head']}>
        <div className={classes['title']}>
          {above && <AboveLink {...above} />}
          <Title ref={heading} order={1} size="h2" style={{ overflowWrap: 'anywhere', outline: 'none' }} tabIndex={-1}>
            {title}
          </Title>
          {lead !== undefined && (
            <Text c="dimmed" size="sm" maw={640} mt={4} component="div">
              {lead}
            </Text>
          )}
        </div>
        <Group gap="xs">
          {requests && <Requests requests={requests} className={classes['requests']} />}
          <div {...pageActions} style={{ display: 'contents' }}>
            {actions}
          </div>
        </Group>
      </Group>
      {children}
    </Stack>
  )
}

/** Whether a page has been shown: the browser places the focus on the first one. */
let isFirstShown = false

/** Moves the focus to the heading of a page that was opened inside the console, so that screen readers read it. */
function useFocusAfterNavigation() {
  const heading = useRef<HTMLHeadingElement>(null)
  // A change of the query only, such as an opened dialog, leaves the focus where it is.
  const { pathname } = useLocation()
  useEffect(() => {
    // A dialog that was opened while the page was loaded keeps the focus, or the next keys of the user would be lost.
    const isInDialog = Boolean(document.activeElement?.closest('[aria-modal="true"]'))
    if (isFirstShown && !isInDialog) heading.current?.focus({ preventScroll: true })
    isFirstShown = true
  }, [pathname])
  return heading
}
