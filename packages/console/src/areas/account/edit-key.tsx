import { TextInput } from '@mantine/core'
import { consoleAreas, type TokenScope } from '@svc/contract'
import { client } from '../../parts/api/client.js'
import { queryClient } from '../../parts/api/query-client.js'
import { FormModal } from '../../parts/form-dialog.js'
import { notifyDone } from '../../parts/notify.js'
import { SubmitForm } from '../../parts/submit-form.js'
import { useSubmit } from '../../parts/use-submit.js'
import { limitDraftOf, LimitFields, limitsOf, type Key, type LimitDraft } from './limit-fields.js'
import { keysQuery } from './queries.js'
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
  const { id, expires_at: before } = apiKey
  const initial: Draft = { name: apiKey.name, scopes: apiKey.scopes, ...limitDraftOf(apiKey) }
  const form = useSubmit({
    op: consoleAreas.keys.update,
    initial,
    input: ({ name, scopes, ...draft }) => ({ name, scopes: [...scopes], ...limitsOf(draft, before) }),
    fields: ['name', 'scopes', 'expires_at', 'unused_days', 'networks', 'rules'],
    send: (input) => client.keys.update({ id, ...input }),
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
