import '@mantine/notifications/styles.css'
import { Notifications } from '@mantine/notifications'

/** Shows the notifications of `parts/notify.tsx`, including those that were sent before this was loaded. */
export function Notices() {
  return <Notifications position="bottom-right" />
}
