import { Type } from 'typebox'
import { noticeKinds } from '../limits.js'
import { added, operation } from '../operation.js'
import { closed } from '../schema.js'

/** Which e-mails the account gets. */

const Kind = Type.Enum([...noticeKinds], { description: 'What the e-mails are about' })

const fields = {
  kind: Kind,
  what: Type.String({ description: 'The kind in words, such as `submissions of your forms`' }),
  by_email: Type.Boolean({ description: 'Whether the account gets them by e-mail' }),
}

const example = { kind: 'form-submission', what: 'submissions of your forms', by_email: true } as const

export const noticeList = operation({
  id: 'account.noticeList',
  method: 'GET',
  path: '/v1/account/notices',
  access: { anyOf: ['account:read'] },
  addition: true,
  forPeople: true,
  summary: 'List the kinds of e-mails, and which ones the account gets',
  data: Type.Object(
    {
      available: Type.Boolean({ description: 'Whether this server sends e-mails' }),
      notices: Type.Array(Type.Object(fields)),
    },
    added({}),
  ),
  example: { data: { available: true, notices: [example] } },
})

export const noticeUpdate = operation({
  id: 'account.noticeUpdate',
  method: 'POST',
  path: '/v1/account/notices',
  access: { anyOf: ['account:write'] },
  addition: true,
  forPeople: true,
  summary: 'Switch a kind of e-mails on or off',
  body: Type.Object({ kind: Kind, by_email: Type.Boolean({ description: 'Whether to send them' }) }, added(closed)),
  data: Type.Object(fields, added({})),
  example: { body: { kind: 'form-submission', by_email: false }, data: { ...example, by_email: false } },
})
