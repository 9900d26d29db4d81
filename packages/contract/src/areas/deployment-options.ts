import { Type } from 'typebox'
import { byRule } from '../operation.js'
import { Nullable } from '../schema.js'

/** The options of each kind of deployment. */

const urlMaxLength = 2048
const listMax = 20

export const FormOptions = Type.Object({
  next_urls: Type.Array(Type.String(byRule({ maxLength: urlMaxLength })), {
    maxItems: listMax,
    description: "URLs that `_next` may name, besides those of the form's site",
  }),
  origins: Type.Array(Type.String(byRule({ maxLength: urlMaxLength })), {
    maxItems: listMax,
    description: 'Origins of sites that may send the form: https://example.com; all if empty',
  }),
})

export const exampleFormOptions = {
  next_urls: ['https://example.com/thanks'],
  origins: ['https://example.com'],
} as const

/** The statuses of a short link's redirect, the default first. */
export const redirectStatuses = [302, 301] as const

export const ShortlinkOptions = Type.Object({
  status: Type.Enum([...redirectStatuses], {
    description: 'Default 302; browsers keep 301, so later uses are not counted',
  }),
  forward_query: Type.Boolean({ description: "Add the request's query to the target, whose parameters win" }),
  expires_at: Nullable(Type.String(), { description: 'When it expires: 2027-01-31T18:00:00Z; null for never' }),
  max_uses: Nullable(Type.Integer({ minimum: 1, maximum: 1_000_000_000 }), {
    description: 'Most uses; null for no limit',
  }),
})

export const exampleShortlinkOptions = { status: 302, forward_query: false, expires_at: null, max_uses: null } as const

export const WebhookDetail = Type.Object({
  secret: Type.String({
    description:
      'Signs forwarded requests (Standard Webhooks); the receiver needs it to verify them. Empty only in a browser session whose password was not entered recently',
  }),
})
