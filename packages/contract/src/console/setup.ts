import { Type } from 'typebox'
import { nicknameMaxLength } from '../limits.js'
import { byRule, open, operation } from '../operation.js'
import { closed, plainTextPattern } from '../schema.js'
import { Current, current } from './current-session.js'
import { NewPassword } from './new-password.js'

/** The first run: the first account of an empty server, created with a code that the server prints at its start. */

const notShown = 'The specification does not show how the first account is created.'

export const status = operation({
  id: 'setup.status',
  method: 'GET',
  path: '/console/api/setup',
  access: 'public',
  summary: 'Show whether the server has no account yet, and what the sign-in offers',
  open: notShown,
  data: Type.Object({
    needed: Type.Boolean(open(notShown, { description: 'Whether there is no account, and a setup code is valid' })),
    password_reset: Type.Boolean(
      open(notShown, { description: 'Whether a forgotten password can be reset by e-mail' }),
    ),
  }),
  example: { data: { needed: false, password_reset: false } },
})

export const create = operation({
  id: 'setup.create',
  method: 'POST',
  path: '/console/api/setup',
  access: 'public',
  summary: 'Create the first account and sign it in',
  description:
    'Sets the session cookie. Needs the setup code that `svc serve` prints at its start while there is no account, or that of `svc setup-code`. After ten wrong codes from one network within a minute, the server accepts none from there until the minute has passed.',
  open: notShown,
  body: Type.Object(
    {
      code: Type.String(
        open(notShown, {
          ...byRule({ minLength: 1 }),
          maxLength: 64,
          description: 'The setup code, such as 7KQF-M2XA; capital letters and the hyphen are optional',
        }),
      ),
      email: Type.String(
        open(notShown, {
          ...byRule({ minLength: 1 }),
          maxLength: 254,
          description: 'Email of the account, for signing in',
        }),
      ),
      password: NewPassword(notShown),
      nickname: Type.Optional(
        Type.String(
          open(notShown, {
            ...byRule({ maxLength: nicknameMaxLength, pattern: plainTextPattern }),
            description: `Display name of at most ${String(nicknameMaxLength)} characters`,
          }),
        ),
      ),
    },
    closed,
  ),
  data: Current,
  errors: ['unauthorized', 'forbidden'],
  example: {
    body: { code: '7KQF-M2XA', email: 'ada@example.com', password: 'correct horse battery staple', nickname: 'Ada' },
    data: current,
  },
})
