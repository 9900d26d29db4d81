import { queryClient } from './api/query-client.js'
import { forgetRecent } from './recent.js'

/** Shows the sign-in after the session has ended. The names of what was opened do not stay in the browser. */
export function leaveConsole(): void {
  forgetRecent()
  queryClient.clear()
  location.reload()
}
