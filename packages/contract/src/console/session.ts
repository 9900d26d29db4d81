import { Type } from 'typebox'
import { open, operation } from '../operation.js'
import { closed } from '../schema.js'
import { Current, current } from './current-session.js'
import { NewPassword } from './new-password.js'

/** Browser sessions: sign in, sign out (/console/api). */

const notShown = 'The console and its sign-in are not shown.'

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
  path: '/console/api/session/password',
  access: 'token',
  summary: 'Change the password of the signed-in account',
  description:
    'Ends all browser sessions of the account and begins another one for this browser; tokens stay valid. A wrong current password counts as a failed sign-in.',
  open: notShown,
  body: Type.Object(
    {
      current_password: Type.String(open(notShown, { format: 'password', minLength: 1, maxLength: 1024 })),
      password: NewPassword(notShown),
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
