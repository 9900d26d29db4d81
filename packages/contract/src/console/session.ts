import { Type } from 'typebox'
import { User } from '../areas/account.js'
import { open, operation } from '../operation.js'
import { Id, Time, closed } from '../schema.js'

/** The console's door: signing in and out with a browser session. */

const ownDoor = 'The console and its sign-in are not shown.'

const current = {
  user: { id: 1, email: 'ada@example.com', nickname: 'Ada', created_at: '2026-11-20T09:30:00.000Z' },
  session: { id: 3, created_at: '2026-11-20T09:41:00.000Z' },
}

const Current = Type.Object(
  {
    user: User,
    session: Type.Object({ id: Id('Id of the session'), created_at: Time('When it began') }),
  },
  open(ownDoor),
)

export const signIn = operation({
  id: 'session.signIn',
  method: 'POST',
  path: '/console/api/session/sign-in',
  access: 'public',
  summary: 'Sign in with email and password',
  description:
    'Sets the session cookie. An unknown email and a wrong password get the same answer after the same time; repeated failures have to wait longer and longer.',
  open: ownDoor,
  body: Type.Object(
    {
      email: Type.String(open(ownDoor, { minLength: 1, maxLength: 254 })),
      password: Type.String(open(ownDoor, { minLength: 1, maxLength: 1024 })),
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
  open: ownDoor,
  data: Type.Object({ signed_out: Type.Literal(true, open(ownDoor)) }),
  example: { data: { signed_out: true } },
})

export const whoAmI = operation({
  id: 'session.whoAmI',
  method: 'GET',
  path: '/console/api/session',
  access: 'token',
  summary: 'Show who is signed in',
  open: ownDoor,
  data: Current,
  example: { data: current },
})
