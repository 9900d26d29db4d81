import { NumberInput, Select, Stack, Switch, TagsInput, TextInput } from '@mantine/core'
import type { KeyboardEvent } from 'react'
import { areas, redirectStatuses, type DeploymentKind } from '@svc/contract'
import { fieldOf } from '../../parts/schema.js'
import type { Draft } from './draft.js'
import { statusLabels } from './kinds.js'

/** The fields that the server's messages are about. */
export const termFields = [
  'target',
  'form.origins',
  'form.next_urls',
  'shortlink.status',
  'shortlink.forward_query',
  'shortlink.expires_at',
  'shortlink.max_uses',
] as const
type TermField = (typeof termFields)[number]

interface Props {
  readonly kind: DeploymentKind
  readonly draft: Draft
  readonly onChange: (changes: Partial<Draft>) => void
  readonly problem: (field: TermField) => string | undefined
}

const field = (name: TermField) => fieldOf(areas.deployments.create, name)

/** The options of a deployment, in the dialogs that create and change it. */
export function TermsFields(props: Props) {
  return (
    <Stack>
      {props.kind === 'form' ? <FormFields {...props} /> : <TargetField {...props} />}
      {props.kind === 'shortlink' && <LinkFields {...props} />}
    </Stack>
  )
}

function TargetField({ kind, draft, onChange, problem }: Props) {
  const isLink = kind === 'shortlink'
  return (
    <TextInput
      label={isLink ? 'Target' : 'Forward to'}
      description={
        isLink
          ? 'The URL that the link redirects to.'
          : 'The URL of your server that gets every request. Leave it empty to only inspect requests.'
      }
      placeholder={isLink ? 'https://example.com/launch' : 'https://example.com/hook'}
      required={isLink}
      inputMode="url"
      spellCheck={false}
      data-autofocus
      value={draft.target}
      onChange={(event) => onChange({ target: event.currentTarget.value })}
      error={problem('target')}
    />
  )
}

function FormFields({ draft, onChange, problem }: Props) {
  return (
    <>
      <TagsInput
        onKeyDown={keepForm}
        label="Sites that may send the form"
        description="Origins such as https://example.com; press Enter after each. Empty: any site."
        placeholder={draft.origins.length === 0 ? 'https://example.com' : ''}
        maxTags={field('form.origins').maxItems ?? Infinity}
        value={[...draft.origins]}
        onChange={(origins) => onChange({ origins })}
        error={problem('form.origins')}
      />
      <TagsInput
        onKeyDown={keepForm}
        label="Thank-you pages on other sites"
        description="Full URLs that the form's field _next may contain. Pages on the site of the form are always accepted."
        placeholder={draft.nextUrls.length === 0 ? 'https://example.com/thanks' : ''}
        maxTags={field('form.next_urls').maxItems ?? Infinity}
        value={[...draft.nextUrls]}
        onChange={(nextUrls) => onChange({ nextUrls })}
        error={problem('form.next_urls')}
      />
    </>
  )
}

function LinkFields({ draft, onChange, problem }: Props) {
  const maxUses = field('shortlink.max_uses')
  return (
    <>
      <Select
        label="Redirect"
        data={redirectStatuses.map((status) => ({ value: String(status), label: statusLabels[status] }))}
        allowDeselect={false}
        value={String(draft.status)}
        onChange={(value) => {
          const status = redirectStatuses.find((known) => String(known) === value)
          if (status !== undefined) onChange({ status })
        }}
        error={problem('shortlink.status')}
      />
      <Switch
        label="Forward the query parameters"
        description="A visitor of …?ref=mail reaches the target with ref=mail. The target's parameters take precedence."
        checked={draft.forwardsQuery}
        onChange={(event) => onChange({ forwardsQuery: event.currentTarget.checked })}
        error={problem('shortlink.forward_query')}
      />
      <TextInput
        type="datetime-local"
        step="any"
        label="Expires"
        description="In your time zone. The link stops working then. Empty: never."
        value={draft.expiresAt}
        onChange={(event) => onChange({ expiresAt: event.currentTarget.value })}
        error={problem('shortlink.expires_at')}
      />
      <NumberInput
        label="Maximum number of uses"
        description="The link stops working after that many. Empty: no limit."
        allowDecimal={false}
        allowNegative={false}
        min={maxUses.minimum ?? 0}
        max={maxUses.maximum ?? Infinity}
        thousandSeparator=" "
        value={draft.maxUses}
        onChange={(value) => onChange({ maxUses: value === '' ? '' : Number(value) })}
        error={problem('shortlink.max_uses')}
      />
    </>
  )
}

/** Enter adds an entry. In an empty box it would send the form. */
function keepForm(event: KeyboardEvent): void {
  if (event.key === 'Enter') event.preventDefault()
}
