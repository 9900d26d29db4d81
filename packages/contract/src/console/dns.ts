import { Type } from 'typebox'
import { LookUp, ZonePath } from '../areas/dns-zone.js'
import { open, operation } from '../operation.js'

/** The delegation of a zone, which the console shows on its page. */

const noDelegation = 'The specification has no look-up of a delegation: the page of a zone shows it.'

export const delegation = operation({
  id: 'dns.delegation',
  method: 'GET',
  path: '/console/api/dns/zones/{zone}/delegation',
  access: 'token',
  summary: "Look up whether the public DNS has this server's nameservers for a verified zone",
  open: noDelegation,
  params: Type.Object(ZonePath.properties, open(noDelegation)),
  data: Type.Object(
    {
      zone: Type.String({ description: 'Apex of the zone' }),
      state: Type.Enum(['live', 'waiting', 'unknown'], {
        description:
          '`live`: the resolvers found these nameservers and no others; `waiting`: they found others or none; `unknown`: none of them could tell',
      }),
      lookup: Type.Object(LookUp.properties),
    },
    open(noDelegation),
  ),
  errors: ['forbidden_zone'],
  example: {
    params: { zone: 'example.com' },
    data: {
      zone: 'example.com',
      state: 'waiting',
      lookup: {
        type: 'NS',
        name: 'example.com',
        expected: ['ns1.svc.example', 'ns2.svc.example'],
        looked_up_at: '2026-11-20T09:30:00.000Z',
        resolvers: [{ resolver: '192.0.2.53', result: 'found', values: ['ns1.old.example'], more: 0 }],
      },
    },
  },
})
