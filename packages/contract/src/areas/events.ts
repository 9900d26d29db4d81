import { Type } from 'typebox'
import { eventAreas, type EventArea } from '../events.js'
import { added, byRule, operation } from '../operation.js'
import { integerMax } from '../schema.js'
import type { Scope } from '../scopes.js'

/** What happens in an account, as it happens. */

/** The scope that may read the events of each area: that of its lists. */
const scopeOfArea = {
  dns: 'dns:read',
  account: 'account:read',
  cred: 'cred:read',
  files: 'files:read',
  cdn: 'cdn:read',
  sms: 'sms:read',
  sites: 'sites:read',
  deployments: 'deploy:read',
  domains: 'domain:read',
  packages: 'packages:read',
  tls: 'dns:read',
} as const satisfies Readonly<Record<string, Scope>>

export const eventScopeOf = (area: EventArea): Scope => scopeOfArea[area]

const areaNames = eventAreas.join('|')

export const stream = operation({
  id: 'events.stream',
  method: 'GET',
  path: '/v1/events',
  access: { anyOf: [...new Set(Object.values(scopeOfArea))] },
  addition: true,
  kind: 'stream',
  summary: 'Listen to what happens in the account',
  description:
    'Server-sent events (WHATWG HTML, section 9.2), without an end. `data` is one line of JSON: `id`, `at`, `area`, `action`, `object`, `actor` and `request_id`, and `zone` and `serial` for a change of a zone. A token gets the events of the areas that its scopes can read, and of the things that its rules allow. To miss nothing after a break, send the last id in the header Last-Event-ID, as EventSource does, or as `last_event_id`: the stream begins behind it. An event of the type `reset` says that later events are not kept any more: read your lists again. Without an id it begins now. It ends when the token or the session does, and for a client that reads too slowly.',
  query: Type.Object({
    area: Type.Optional(
      Type.String(
        added({
          ...byRule({ pattern: `^(?:${areaNames})(?:,(?:${areaNames}))*$`, maxLength: 255 }),
          description: 'Only events of these areas, separated by commas: `dns,files`',
        }),
      ),
    ),
    last_event_id: Type.Optional(
      Type.Integer(
        added({ minimum: 0, maximum: integerMax, description: 'As the header Last-Event-ID, which has precedence' }),
      ),
    ),
  }),
  produces: ['text/event-stream'],
  example: {},
})
