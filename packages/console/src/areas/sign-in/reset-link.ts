import { consolePath } from '../../parts/api/base.js'

/** Whether the page was opened by a link that resets a password. */
export const isResetLink = location.pathname === `${consolePath}/reset-password`

/** The token of the link; empty without one. */
export const resetToken = isResetLink ? location.hash.slice(1) : ''

// The address, which the history keeps and others may see, has the token no longer.
if (resetToken !== '') history.replaceState(history.state, '', location.pathname)
