import '@mantine/notifications/styles.css'
import { Notifications } from '@mantine/notifications'
import classes from './notices.module.css'

/**
 * Shows the notifications of `parts/notify.tsx`, including those that were sent before this was loaded: one at a time, over the bar at the
 * top of the page, where no row of a table has its buttons and no form its fields. It stays while it has the pointer or the focus.
 */
export function Notices() {
  return (
    <Notifications
      position="top-center"
      // It also pauses for the focus, and lets a notice take the place of the one before it.
      layout="stacked"
      limit={1}
      containerWidth={420}
      transitionDuration={150}
      classNames={{ root: classes['root'] ?? '', notification: classes['notice'] ?? '' }}
    />
  )
}
