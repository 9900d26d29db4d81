import { NumberInput, SimpleGrid, Textarea, TextInput } from '@mantine/core'
import { tokenUnusedDaysMax } from '@svc/contract'
import type { client } from '../../parts/api/client.js'
import type { Form } from '../../parts/use-submit.js'
import { RuleFields } from './rule-fields.js'
import { ruleDraftsOf, rulesOf, type RuleDraft } from './rules.js'

export type Key = Awaited<ReturnType<typeof client.keys.list>>['keys'][number]

/** The limits of a key as the form has them, by the names of the server's fields. */
export interface LimitDraft {
  /** The day on which it ends, such as `2027-01-31`; empty for no end. */
  readonly expires_at: string
  /** Empty for no such end. */
  readonly unused_days: string
  /** One in each line. */
  readonly networks: string
  readonly rules: readonly RuleDraft[]
}

export const noLimits: LimitDraft = { expires_at: '', unused_days: '', networks: '', rules: [] }

export const limitDraftOf = ({ expires_at, unused_days, networks, rules }: Key): LimitDraft => ({
  expires_at: expires_at?.slice(0, 'yyyy-mm-dd'.length) ?? '',
  unused_days: unused_days === null ? '' : String(unused_days),
  networks: networks.join('\n'),
  rules: ruleDraftsOf(rules),
})

/** What the server gets. @param before the end of an existing key: it keeps its time of the day if the day is unchanged */
export const limitsOf = ({ expires_at, unused_days, networks, rules }: LimitDraft, before: string | null = null) => ({
  ...(before !== null && before.startsWith(expires_at) && expires_at !== ''
    ? {}
    : { expires_at: expires_at === '' ? null : `${expires_at}T00:00:00Z` }),
  unused_days: unused_days === '' ? null : Number(unused_days),
  networks: networks.split(/[\s,]+/).filter((network) => network !== ''),
  rules: rulesOf(rules),
})

interface Props<Values extends LimitDraft, Input> {
  readonly form: Form<Values, Input>
}

/** The fields of the rules and the limits in a form. */
export function LimitFields<Values extends LimitDraft, Input extends ReturnType<typeof limitsOf>>({
  form,
}: Props<Values, Input>) {
  const { values, set, problem } = form
  const change = (changes: Partial<LimitDraft>) => set(changes as Partial<Values>)
  return (
    <>
      <RuleFields rules={values.rules} onChange={(rules) => change({ rules })} problem={problem('rules')} />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          type="date"
          label="Ends on"
          description="In UTC; empty for never."
          value={values.expires_at}
          onChange={(event) => change({ expires_at: event.currentTarget.value })}
          error={problem('expires_at')}
        />
        <NumberInput
          label="Ends when it is unused for"
          description="Days; empty for never."
          suffix=" days"
          min={1}
          max={tokenUnusedDaysMax}
          allowDecimal={false}
          allowNegative={false}
          value={values.unused_days === '' ? '' : Number(values.unused_days)}
          onChange={(days) => change({ unused_days: typeof days === 'number' ? String(days) : '' })}
          error={problem('unused_days')}
        />
      </SimpleGrid>
      <Textarea
        label="Works only from"
        description="Addresses and networks such as 192.0.2.0/24, one in each line; empty for everywhere."
        autosize
        minRows={1}
        maxRows={6}
        value={values.networks}
        onChange={(event) => change({ networks: event.currentTarget.value })}
        error={problem('networks')}
      />
    </>
  )
}
