import type { Refusal } from './refusal.js'

/** Input of the webhooks of accounts that the schemas of the contract allow and the server refuses. @param body a valid body without them */
const ofWebhook = (body: Readonly<Record<string, unknown>>): readonly Refusal[] => [
  {
    message: /^url must /,
    why: 'Only a parser of URLs knows which texts are URLs, and the operator decides which addresses they may have.',
    example: { body: { ...body, url: 'x' } },
  },
  {
    message: /^events must have areas /,
    why: 'A schema with the name of every action would be as long as the rest of the operation.',
    example: { body: { ...body, events: ['x'] } },
  },
]

/** By operation id. */
export const webhookRefusals: Readonly<Record<string, readonly Refusal[]>> = {
  'account.webhookCreate': ofWebhook({ url: 'https://hooks.example/svc' }),
  'account.webhookUpdate': ofWebhook({ id: 1 }),
}
