import { TextInput } from '@mantine/core'
import { consoleAreas, type TokenScope } from '@svc/contract'
import { useState } from 'react'
import { client } from '../../parts/api/client.js'
import { queryClient } from '../../parts/api/query-client.js'
import { FormModal } from '../../parts/form-dialog.js'
import { keysQuery } from '../../parts/keys-query.js'
import { notifyDone } from '../../parts/notify.js'
import { SubmitForm } from '../../parts/submit-form.js'
import { changedFields, useSubmit } from '../../parts/use-submit.js'
import { limitDraftOf, LimitFields, limitsOf, type Key, type LimitDraft } from './limit-fields.js'
import { ScopeMatrix } from './scope-matrix.js'

interface Props {
  /** Undefined while the dialog is closed. */
  readonly apiKey: Key | undefined
  readonly onClose: () => void
}

/** Changes the name, the scopes, the rules and the limits of an API key. Its value stays. */
export function EditKey({ apiKey, onClose }: Props) {
  return (
    <FormModal opened={apiKey !== undefined} onClose={onClose} title={`Edit ${apiKey?.name ?? ''}`} size="xl">
      {apiKey && <EditForm key={apiKey.id} apiKey={apiKey} onClose={onClose} />}
    </FormModal>
  )
}

interface Draft extends LimitDraft {
  readonly name: string
  readonly scopes: readonly TokenScope[]
}

function EditForm({ apiKey, onClose }: { readonly apiKey: Key; readonly onClose: () => void }) {
  // As the form has opened: the list is read again while the form is open.
  const [opened] = useState(apiKey)
  const { id } = opened
  const initial: Draft = { name: opened.name, scopes: opened.scopes, ...limitDraftOf(opened) }
  const inputOf = ({ name, scopes, ...draft }: Draft) => ({
    name,
    scopes: [...scopes],
    ...limitsOf(draft, opened.expires_at),
  })
  const form = useSubmit({
    op: consoleAreas.keys.update,
    initial,
    input: inputOf,
    fields: ['name', 'scopes', 'expires_at', 'unused_days', 'networks', 'rules'],
    // Only changes: another person may have changed the other fields meanwhile.
    send: (input) => client.keys.update({ id, ...changedFields(input, inputOf(initial)) }),
    onDone: async ({ name }) => {
      onClose()
      await queryClient.invalidateQueries(keysQuery)
      notifyDone(`${name} is changed.`)
    },
  })
  const { scopes } = form.values
  return (
    <SubmitForm form={form} action="Save the changes" disabled={scopes.length === 0} onCancel={onClose}>
      <TextInput {...form.text('name')} label="Name" required data-autofocus />
      <ScopeMatrix
        scopes={scopes}
        onChange={(chosen) => form.set({ scopes: chosen })}
        onTemplate={(template) => form.set({ scopes: template.scopes, rules: template.rules })}
        problem={form.problem('scopes')}
      />
      <LimitFields form={form} />
    </SubmitForm>
  )
}
