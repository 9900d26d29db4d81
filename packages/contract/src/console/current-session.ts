import { Type } from 'typebox'
import { User } from '../areas/account.js'
import { open } from '../operation.js'
import { Id, Time } from '../schema.js'

/** The example of `Current`. */
export const current = {
  user: { id: 1, email: 'ada@example.com', nickname: 'Ada', created_at: '2026-11-20T09:30:00.000Z' },
  session: { id: 3, created_at: '2026-11-20T09:41:00.000Z' },
  version: '1.4.0',
}

/** The signed-in account and its session. */
export const Current = Type.Object(
  {
    user: User,
    session: Type.Object({ id: Id('Id of the session'), created_at: Time('When the session began') }),
    version: Type.String({ description: 'Version of svc' }),
  },
  open('The console and its sign-in are not shown.'),
)
