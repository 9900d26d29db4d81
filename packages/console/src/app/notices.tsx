import '@mantine/notifications/styles.css'
import { Notifications } from '@mantine/notifications'

/** The corner in which `parts/notify.tsx` shows its texts, also those that came before it was loaded. */
export function Notices() {
  return <Notifications position="bottom-right" />
}
