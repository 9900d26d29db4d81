import { Button } from '@mantine/core'
import { IconMoodConfuzed } from '@tabler/icons-react'
import { Link } from 'react-router'
import { EmptyState } from './empty-state.js'
import { Page } from './page.js'

/** An address below /console without a page. */
export function MissingPage() {
  return (
    <Page title="Page not found">
      <EmptyState
        icon={IconMoodConfuzed}
        title="There is no page at this address"
        action={
          <Button component={Link} to="/">
            Go to the overview
          </Button>
        }
      >
        The link may be old or mistyped.
      </EmptyState>
    </Page>
  )
}
