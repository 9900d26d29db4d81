import { quoted } from '../../../shared/quoted.js'
import { timestamp } from '../../../shared/timestamp.js'
import { privateNameOf } from './private-names.js'
import type { ProofLookUp } from './proof.js'
import { describeReplies, listed, visible } from './replies.js'

/** Why a claim stays pending, as sentences and fields for its account. */

/** How many of a resolver's values an answer repeats, and how many characters of each. */
const valuesMax = 10
const valueMaxLength = 255

const shortened = (value: string): string =>
  visible(value.length > valueMaxLength ? `${value.slice(0, valueMaxLength)}…` : value)

/** A look-up as the answer shows it. */
export const lookUpJson = ({
  type,
  name,
  expected,
  replies,
  at,
}: Omit<ProofLookUp, 'isProven' | 'isFromWildcard'>) => ({
  type,
  name,
  expected: [...expected],
  looked_up_at: timestamp(at),
  resolvers: replies.map(({ resolver, result, values }) => ({
    resolver,
    result,
    values: values.slice(0, valuesMax).map(shortened),
    more: Math.max(0, values.length - valuesMax),
  })),
})

/** Why a look-up has not proven a claim, as a sentence. */
export function unprovenNote(zone: string, { type, name, expected, replies, isFromWildcard }: ProofLookUp): string {
  const wanted =
    type === 'NS'
      ? `the NS records of ${name} must be exactly ${listed(expected)}`
      : `the TXT record ${name} must have the value ${quoted(expected[0] ?? '')}`
  if (isFromWildcard)
    return (
      `${zone} is still pending: a wildcard of the zone answers ${name}, which proves nothing. ` +
      'Create the TXT record at this name, or wait until resolvers have forgotten the wildcard.'
    )
  return `${zone} is still pending: ${wanted}, but ${describeReplies(type, replies)}.`
}

/** Why no look-up can prove a claim on a zone, as a sentence; undefined for a zone that the public DNS can have. */
export function operatorOnlyNote(zone: string): string | undefined {
  const found = privateNameOf(zone)
  return (
    found &&
    `No look-up can prove control of ${zone}, because ${found.name} is not in the public DNS (${found.source}): ` +
      `only the operator can assign this zone, with svc dns assign ${zone} EMAIL.`
  )
}

/** The claim was changed during the look-up, which proved what is no longer required. */
export const changedNote = (zone: string): string =>
  `${zone} is still pending: the challenge changed during the look-up. Get the zone for the new challenge.`
