import { Type } from 'typebox'
import { noticeKinds } from '../limits.js'
import { open, operation } from '../operation.js'
import { closed } from '../schema.js'

/** Which e-mails the account gets (/console/api). */

const notShown = 'The console and its e-mails are not shown.'

const Kind = Type.Enum([...noticeKinds], open(notShown, { description: 'What the e-mails are about' }))

const Choice = Type.Object(
  {
    kind: Kind,
    what: Type.String(open(notShown, { description: 'The kind in words, such as `submissions of your forms`' })),
    by_email: Type.Boolean(open(notShown, { description: 'Whether the account gets them by e-mail' })),
  },
  open(notShown),
)

const example = { kind: 'form-submission', what: 'submissions of your forms', by_email: true } as const

export const list = operation({
  id: 'notices.list',
  method: 'GET',
  path: '/console/api/account/notices',
  access: 'token',
  summary: 'List the kinds of e-mails, and which ones the account gets',
  open: notShown,
  data: Type.Object({
    available: Type.Boolean(open(notShown, { description: 'Whether this server sends e-mails' })),
    notices: Type.Array(Choice, open(notShown)),
  }),
  example: { data: { available: true, notices: [example] } },
})

export const update = operation({
  id: 'notices.update',
  method: 'POST',
  path: '/console/api/account/notices',
  access: 'token',
  summary: 'Switch a kind of e-mails on or off',
  open: notShown,
  body: Type.Object({ kind: Kind, by_email: Type.Boolean(open(notShown)) }, closed),
  data: Choice,
  example: { body: { kind: 'form-submission', by_email: false }, data: { ...example, by_email: false } },
})
