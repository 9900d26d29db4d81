import { isDeepStrictEqual } from 'node:util'
import { badRequest } from '@svc/contract/errors'
import { count, id, json, nullable, sha256Text, text, time } from '../../db/columns.js'
import type { RowRule } from '../../db/row-rules.js'
import { entryNameProblem } from './archive/entry-name.js'
import { domainHost } from './domains/host.js'
import { isAllowedHeader } from './rules/headers.js'
import { printRules } from './rules/print-rules.js'
import { parseRules, type SiteRules } from './rules/rules.js'

const site: RowRule<'site'> = {
  columns: {
    ...{ id, account_id: id, name: text(63), version_id: id, files: count, size: count },
    ...{ created_at: time, deployed_at: time },
  },
  request: ({ name }) => ({ operation: 'sites.deploy', body: { name, archive: '' } }),
}

const isArray = (value: unknown): value is unknown[] => Array.isArray(value)

const isPattern = (value: unknown): boolean => {
  const { parts, suffix = '' } = (value ?? {}) as { parts?: unknown; suffix?: unknown }
  const isPart = (part: unknown) =>
    typeof part === 'string' || typeof (part as { name?: unknown } | null)?.name === 'string'
  return isArray(parts) && parts.every(isPart) && typeof suffix === 'string'
}

/** The shape of `SiteRules`. What the rules say is checked by `check`. */
function isSiteRules(value: unknown): boolean {
  const { headers, redirects } = (value ?? {}) as { headers?: unknown; redirects?: unknown }
  if (!isArray(headers) || !isArray(redirects)) return false
  const areHeaders = headers.every((rule) => {
    const { path, changes } = (rule ?? {}) as { path?: unknown; changes?: unknown }
    return isPattern(path) && isArray(changes) && changes.every((change) => change !== null)
  })
  return areHeaders && redirects.every((rule) => isPattern((rule as { from?: unknown } | null)?.from))
}

/** A version from before the list of allowed headers has others, which are not sent. */
const withAllowedHeaders = ({ headers, redirects }: SiteRules): SiteRules => ({
  redirects,
  headers: headers.map(({ path, changes }) => ({ path, changes: changes.filter(({ name }) => isAllowedHeader(name)) })),
})

const site_version: RowRule<'site_version'> = {
  columns: {
    ...{ id, account_id: id, site_id: nullable(id), files: count, size: count },
    ...{ rules: json(4_000_000, isSiteRules), deployed_at: nullable(time), created_at: time },
  },
  check: ({ rules }) => {
    const stored = withAllowedHeaders(JSON.parse(rules) as SiteRules)
    if (!isDeepStrictEqual(JSON.parse(JSON.stringify(parseRules(printRules(stored)))), stored))
      throw badRequest('rules', 'must be those of _headers and _redirects')
  },
}

const site_content: RowRule<'site_content'> = {
  columns: {
    ...{ id, account_id: id, sha256: sha256Text, size: count, blob_key: text(64), start: count },
    ...{ gzip_start: nullable(count), gzip_size: nullable(count), br_start: nullable(count), br_size: nullable(count) },
    unused_at: nullable(time),
  },
}

const site_file: RowRule<'site_file'> = {
  columns: { version_id: id, path: text(1024), content_id: id },
  check: ({ path }) => {
    const problem = entryNameProblem(path)
    if (problem !== undefined) throw badRequest('path', problem)
  },
}

interface StoredTarget {
  readonly type?: unknown
  readonly value?: unknown
  readonly id?: unknown
}

const isTarget = (value: unknown): boolean => {
  const { type, value: target, id: recordId } = (value ?? {}) as StoredTarget
  const isRecordId = recordId === undefined || id(recordId as number) === undefined
  return ['A', 'AAAA', 'CNAME'].includes(type as string) && typeof target === 'string' && isRecordId
}

const site_domain: RowRule<'site_domain'> = {
  columns: {
    ...{ host: text(253), site_id: id, account_id: id, zone: text(253) },
    ...{ records: json(10_000, (value) => isArray(value) && value.every(isTarget)), created_at: time },
  },
  check: (row, { serverNames }) => {
    const { host, zone } = domainHost(row.host, serverNames)
    if (host !== row.host) throw badRequest('host', 'must be in canonical form')
    if (zone !== row.zone) throw badRequest('zone', `must be ${zone}, the zone of the host`)
  },
}

const site_use: RowRule<'site_use'> = { columns: { account_id: id, bytes: count } }

export const sitesRowRules = { site, site_version, site_content, site_file, site_domain, site_use }
