import { SvcError } from '@svc/client'
import { client } from '../parts/api/client.js'
import { leaveConsole } from '../parts/leave-console.js'
import { notifyError } from '../parts/notify.js'
import { sendRemoval } from '../parts/removal/removal.js'

/** Ends the session, also one that has ended already, and shows the sign-in. */
export async function signOut(): Promise<void> {
  try {
    // Its error is shown on the page.
    if (!(await sendRemoval())) return
    await client.session.signOut()
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'unauthorized') {
      notifyError(error)
      return
    }
  }
  leaveConsole()
}
