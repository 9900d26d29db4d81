import { Type } from 'typebox'
import { byRule, open, operation } from '../operation.js'
import { passwordResetMinutes, recentPasswordMinutes } from '../limits.js'
import { Time, closed } from '../schema.js'
import { Current, current } from './current-session.js'
import { NewPassword } from './new-password.js'

/** Browser sessions and the account's own changes: password, email, end (/console/api). */

const notShown = 'The console and its sign-in are not shown.'

const CurrentPassword = Type.String(
  open(notShown, { format: 'password', minLength: 1, maxLength: 1024, description: 'The current password' }),
)

const Email = Type.String(open(notShown, { ...byRule({ minLength: 1 }), maxLength: 254 }))

export const signIn = operation({
  id: 'session.signIn',
  method: 'POST',
  path: '/console/api/session/sign-in',
  access: 'public',
  summary: 'Sign in with email and password',
  description:
    'Sets the session cookie. An unknown email and a wrong password get the same answer after the same time. Repeated failures cause longer and longer waits.',
  open: notShown,
  body: Type.Object(
    {
      email: Type.String(open(notShown, { minLength: 1, maxLength: 254 })),
      password: Type.String(open(notShown, { format: 'password', minLength: 1, maxLength: 1024 })),
    },
    closed,
  ),
  data: Current,
  errors: ['unauthorized', 'forbidden'],
  example: { body: { email: 'ada@example.com', password: 'correct horse battery staple' }, data: current },
})

export const resetRequest = operation({
  id: 'session.resetRequest',
  method: 'POST',
  path: '/console/api/session/reset-request',
  access: 'public',
  summary: 'Send an e-mail with a link that resets the password',
  description: `The answer is the same for an unknown email, and takes as long. The link works once, for ${String(passwordResetMinutes)} minutes. Needs \`SVC_PASSWORD_RESET=on\`.`,
  open: notShown,
  body: Type.Object({ email: Type.String(open(notShown, { minLength: 1, maxLength: 254 })) }, closed),
  data: Type.Object({ requested: Type.Literal(true, open(notShown)) }),
  errors: ['unauthorized', 'forbidden'],
  example: { body: { email: 'ada@example.com' }, data: { requested: true } },
})

export const reset = operation({
  id: 'session.reset',
  method: 'POST',
  path: '/console/api/session/reset',
  access: 'public',
  summary: 'Set a new password with the token of a link',
  description: 'Ends all browser sessions of the account; tokens of the API stay valid. The token works once.',
  open: notShown,
  body: Type.Object(
    {
      token: Type.String(
        open(notShown, { ...byRule({ minLength: 1 }), maxLength: 128, description: 'From the link, behind the #' }),
      ),
      password: NewPassword(notShown),
    },
    closed,
  ),
  data: Type.Object({ reset: Type.Literal(true, open(notShown)) }),
  errors: ['unauthorized', 'forbidden'],
  example: {
    body: { token: 'NjQtYml0LXJhbmRvbS1leGFtcGxlLXRva2VuLTAwMDA', password: 'a longer sentence that nobody guesses' },
    data: { reset: true },
  },
})

export const signOut = operation({
  id: 'session.signOut',
  method: 'POST',
  path: '/console/api/session/sign-out',
  access: 'token',
  summary: 'End this session',
  open: notShown,
  data: Type.Object({ signed_out: Type.Literal(true, open(notShown)) }),
  example: { data: { signed_out: true } },
})

export const whoAmI = operation({
  id: 'session.whoAmI',
  method: 'GET',
  path: '/console/api/session',
  access: 'token',
  summary: 'Show the signed-in account',
  open: notShown,
  data: Current,
  example: { data: current },
})

export const changePassword = operation({
  id: 'session.changePassword',
  method: 'POST',
  path: '/console/api/account/password',
  access: 'token',
  summary: 'Change the password of the signed-in account',
  description:
    'Ends all browser sessions of the account and begins another one for this browser; tokens stay valid, unless `revoke_tokens` is true. A wrong current password counts as a failed sign-in.',
  open: notShown,
  body: Type.Object(
    {
      current_password: CurrentPassword,
      password: NewPassword(notShown),
      revoke_tokens: Type.Optional(
        Type.Boolean(open(notShown, { default: false, description: 'Whether all tokens of the account are revoked' })),
      ),
    },
    closed,
  ),
  data: Current,
  errors: ['unauthorized', 'forbidden'],
  example: {
    body: { current_password: 'correct horse battery staple', password: 'a longer sentence that nobody guesses' },
    data: current,
  },
})

export const revokeOthers = operation({
  id: 'session.revokeOthers',
  method: 'POST',
  path: '/console/api/session/revoke-others',
  access: 'token',
  summary: 'Sign out every other browser session',
  open: notShown,
  data: Type.Object({
    revoked: Type.Integer(open(notShown, { minimum: 0, description: 'Number of sessions that were ended' })),
  }),
  example: { data: { revoked: 2 } },
})

export const enterPassword = operation({
  id: 'session.enterPassword',
  method: 'POST',
  path: '/console/api/session/enter-password',
  access: 'token',
  summary: 'Enter the password again, before what needs a recently entered one',
  description: `For ${String(recentPasswordMinutes)} minutes, the session may read secrets and create tokens that may do everything. Other requests for them are answered with 403 \`password_required\`. A wrong password counts as a failed sign-in.`,
  open: notShown,
  body: Type.Object({ password: CurrentPassword }, closed),
  data: Type.Object({ valid_until: Time('Until when the password counts as recently entered') }),
  errors: ['unauthorized', 'forbidden'],
  example: { body: { password: 'correct horse battery staple' }, data: { valid_until: '2026-11-20T09:51:00.000Z' } },
})

export const changeEmail = operation({
  id: 'session.changeEmail',
  method: 'POST',
  path: '/console/api/account/email',
  access: 'token',
  summary: 'Change the email of the signed-in account',
  description:
    'Sessions and tokens stay valid. A wrong current password counts as a failed sign-in. No message is sent to either address.',
  open: notShown,
  body: Type.Object({ current_password: CurrentPassword, email: Email }, closed),
  data: Current,
  errors: ['unauthorized', 'forbidden'],
  example: {
    body: { current_password: 'correct horse battery staple', email: 'ada@example.org' },
    data: { ...current, user: { ...current.user, email: 'ada@example.org' } },
  },
})

export const deleteAccount = operation({
  id: 'session.deleteAccount',
  method: 'POST',
  path: '/console/api/account/delete',
  access: 'token',
  summary: 'Delete the signed-in account with everything that it has',
  description:
    'Ends all sessions and tokens at once. The server then removes everything else within minutes. A wrong password counts as a failed sign-in.',
  open: notShown,
  body: Type.Object(
    {
      password: CurrentPassword,
      email: Type.String(
        open(notShown, {
          ...byRule({ minLength: 1 }),
          maxLength: 254,
          description: 'The email of the account, to confirm',
        }),
      ),
    },
    closed,
  ),
  data: Type.Object({ deleted: Type.Literal(true, open(notShown)) }),
  errors: ['unauthorized', 'forbidden'],
  example: { body: { password: 'correct horse battery staple', email: 'ada@example.com' }, data: { deleted: true } },
})
