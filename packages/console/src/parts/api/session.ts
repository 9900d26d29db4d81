import { PausedCalls } from './paused-calls.js'

/** Calls that were answered with 401: the session has ended, and they wait until the user has signed in again. */
export const endedSession = new PausedCalls('unauthorized')

/** Calls for secrets, and for keys that get secrets: they wait until the user has entered the password again. */
export const missingPassword = new PausedCalls('password_required')

/** Whether a dialog above the page asks for the password: keys are for it alone. */
export const isPasswordAsked = (): boolean => endedSession.isWaiting() || missingPassword.isWaiting()
