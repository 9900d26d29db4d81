import { Type, type Static } from 'typebox'
import { AccountEvent, exampleEvent } from '../areas/account-events.js'
import { failing } from '../areas/deployment.js'
import {
  overviewDays,
  overviewDeploymentsMax,
  overviewEntriesMax,
  overviewExpiryDays,
  overviewTextMax,
} from '../limits.js'
import { open, operation } from '../operation.js'
import { Count, HistoryDay, Id, Nullable, Time, TimeOrNull } from '../schema.js'

/** The start page of the console: what needs attention, and what happened last, in one answer. */

const notShown = 'The specification has no overview: the console shows what needs attention, from all areas.'

const atMost = `At most ${String(overviewEntriesMax)}`

const Days = (what: string) =>
  Type.Array(Type.Object({ day: HistoryDay, count: Count(what) }), {
    description: `The last ${String(overviewDays)} days, the oldest first`,
  })

/** What each area gives: an area that is not listed has no part. Null for a part that could not be read. */
const parts = {
  account: Type.Object({
    keys: Count('Number of API keys'),
    events: Type.Array(AccountEvent, { description: `${atMost} of the events, newest first` }),
  }),
  dns: Type.Object({
    zones: Count('Number of claims on zones'),
    pending: Count('Number of claims that are not verified'),
    unverified: Type.Array(
      Type.Object({
        zone: Type.String({ description: 'Name of the zone' }),
        txt_name: Nullable(Type.String(), {
          description: 'Where the TXT record that proves control must be; null if the nameservers prove it',
        }),
      }),
      { description: `${atMost} of the claims that are not verified, the newest first` },
    ),
  }),
  files: Type.Object({
    files: Count('Number of files'),
    shared: Count('Number of files with a share link'),
    uploads: Count('Number of open uploads'),
    bytes: Count('Bytes of all files and open uploads'),
    bytes_limit: Nullable(Type.Integer({ minimum: 0 }), {
      description: 'Maximum size of all files in bytes; null for no limit',
    }),
    free_bytes: Nullable(Type.Integer({ minimum: 0 }), {
      description: 'Bytes that the disks of the server have room for; null if it does not store on a disk',
    }),
    requests: Days('Requests for shared files'),
  }),
  sms: Type.Object({
    messages: Count('Number of messages'),
    latest: Type.Array(
      Type.Object({
        id: Id('Id of the message'),
        from: Type.String({ description: 'Sender' }),
        text: Type.String({ description: `The first ${String(overviewTextMax)} characters` }),
        received_at: Time('When it was received'),
      }),
      { description: `${atMost}, newest first` },
    ),
  }),
  sites: Type.Object({
    sites: Count('Number of sites'),
    deploys: Type.Array(
      Type.Object({
        name: Type.String({ description: 'Name of the site' }),
        files: Count('Number of files'),
        size: Count('Size of all files in bytes'),
        deployed_at: Time('When it was deployed'),
      }),
      { description: `${atMost} of the sites, most recently deployed first` },
    ),
  }),
  deployments: Type.Object({
    deployments: Count('Number of forms, webhooks and short links'),
    failing: Type.Array(
      Type.Object({ id: Id('Id of the webhook'), slug: Type.String({ description: 'Its slug' }), ...failing }),
      { description: `${atMost} of the webhooks whose deliveries fail` },
    ),
    more_failing: Type.Boolean({ description: 'Whether deliveries of other webhooks fail too' }),
    uses: Nullable(Days('Uses of all forms, webhooks and short links'), {
      description: `The last days, the oldest first; null for an account with more than ${String(overviewDeploymentsMax)} of them`,
    }),
  }),
  domains: Type.Object({
    domains: Count('Number of domains'),
    expiring: Count(`Number of domains that have expired, or expire in the next ${String(overviewExpiryDays)} days`),
    soonest: Type.Array(
      Type.Object({
        domain: Type.String({ description: 'Name of the domain' }),
        expires_at: Time('When the registration ends'),
      }),
      { description: `${atMost} of them, soonest expiry first` },
    ),
  }),
  packages: Type.Object({ packages: Count('Number of packages') }),
  tls: Type.Object({
    failing: Count('Number of certificates whose last order failed'),
    soonest: Type.Array(
      Type.Object({
        name: Type.String({ description: 'The zone or the own domain of a site' }),
        not_after: TimeOrNull('When the present one expires; null without one'),
      }),
      { description: `${atMost} of them, soonest expiry first` },
    ),
  }),
}

type Parts = typeof parts

/** An area with a part of the overview. */
export type OverviewArea = keyof Parts

/** The part of an area. */
export type OverviewPart<Name extends OverviewArea> = Static<Parts[Name]>

const part = <Name extends OverviewArea>(name: Name) =>
  Type.Optional(Nullable(parts[name], { description: 'Null if it could not be read' }))

const day = '2026-11-23'

export const show = operation({
  id: 'overview.show',
  method: 'GET',
  path: '/console/api/overview',
  access: 'token',
  summary: 'Show what needs attention, and what happened last',
  open: notShown,
  data: Type.Object(
    {
      nameserver: Type.Enum(['running', 'failing', 'external'], {
        description: 'The nameserver of this server; external if another server serves the zones',
      }),
      parts: Type.Object({
        account: part('account'),
        dns: part('dns'),
        files: part('files'),
        sms: part('sms'),
        sites: part('sites'),
        deployments: part('deployments'),
        domains: part('domains'),
        packages: part('packages'),
        tls: part('tls'),
      }),
    },
    open(notShown),
  ),
  example: {
    data: {
      nameserver: 'running',
      parts: {
        account: { keys: 2, events: [exampleEvent] },
        dns: { zones: 3, pending: 1, unverified: [{ zone: 'example.org', txt_name: '_svcdns-verify.example.org' }] },
        files: {
          files: 12,
          shared: 3,
          uploads: 1,
          bytes: 52_428_800,
          bytes_limit: 10_737_418_240,
          free_bytes: 85_899_345_920,
          requests: [{ day, count: 12 }],
        },
        sms: {
          messages: 1,
          latest: [{ id: 7, from: '+15550100', text: 'Your code is 123456', received_at: '2026-11-20T09:30:00.000Z' }],
        },
        sites: { sites: 1, deploys: [{ name: 'docs', files: 2, size: 2048, deployed_at: '2026-11-20T09:30:00.000Z' }] },
        deployments: {
          deployments: 4,
          failing: [{ id: 9, slug: 'orders', count: 30, since: '2026-11-23T16:11:00.000Z' }],
          more_failing: false,
          uses: [{ day, count: 40 }],
        },
        domains: {
          domains: 2,
          expiring: 1,
          soonest: [{ domain: 'example.com', expires_at: '2026-12-02T00:00:00.000Z' }],
        },
        packages: { packages: 0 },
        tls: { failing: 1, soonest: [{ name: 'example.com', not_after: '2027-02-18T09:30:00.000Z' }] },
      },
    },
  },
})
