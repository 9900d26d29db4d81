import { queryClient } from './api/query-client.js'
import { forgetRecent } from './recent.js'

/** Shows the sign-in after the session has ended, and forgets the names of what was opened lately. */
export function leaveConsole(): void {
  forgetRecent()
  queryClient.clear()
  location.reload()
}
