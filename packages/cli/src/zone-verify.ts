import type { Command } from 'commander'
import { areas, type Operation } from '@svc/contract'
import type { Answer } from '@svc/client'
import { escapeLine } from '@svc/server'
import { contentOf } from './api-call.js'
import { note, type Content } from './output.js'

/** `svc api dns zone-verify`: scripts and people must see that a zone is still pending, which is a success of the API. */

export interface VerifyOptions {
  readonly json?: true
  readonly raw?: true
}

export const isZoneVerify = ({ id }: Operation): boolean => id === areas.dns.zoneVerify.id

export const addVerifyOptions = (command: Command): Command =>
  command.option('--json', 'print JSON also while the zone is pending, instead of a sentence')

/** The text for stdout. For a pending zone, prints the reason as a message and sets the exit code 1. */
export function verifyContent(answer: Answer, { json, raw }: VerifyOptions): Content {
  const reason = answer.kind === 'json' ? pendingReason(answer.envelope.data) : undefined
  if (reason === undefined) return contentOf(answer, raw)
  process.exitCode = 1
  if (json || raw) return contentOf(answer, raw)
  note(escapeLine(reason))
  return []
}

/** @returns undefined unless the zone is pending */
function pendingReason(data: unknown): string | undefined {
  const { zone, status, note: reason } = (data ?? {}) as Readonly<Record<string, unknown>>
  if (status !== 'pending') return undefined
  return typeof reason === 'string' ? reason : `${String(zone)} is still pending.`
}
