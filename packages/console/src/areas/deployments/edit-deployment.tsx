import { Stack } from '@mantine/core'
import { useState } from 'react'
import { client } from '../../app/client.js'
import { queryClient } from '../../app/query-client.js'
import { FormActions } from '../../parts/form-actions.js'
import { FormModal } from '../../parts/form-dialog.js'
import { notifyDone } from '../../parts/notify.js'
import { useSubmit } from '../../parts/use-submit.js'
import { draftOf, termsOf } from './draft.js'
import { kinds } from './kinds.js'
import { deploymentQuery, deploymentsQuery, type Detail } from './queries.js'
import { termFields, TermsFields } from './terms-fields.js'

interface Props {
  readonly deployment: Detail
  readonly opened: boolean
  readonly onClose: () => void
}

/** Changes the target and the options of a deployment. The address stays. */
export function EditDeployment({ deployment, opened, onClose }: Props) {
  return (
    <FormModal opened={opened} onClose={onClose} title={`Edit the ${kinds[deployment.kind].noun}`} size="lg">
      <EditForm deployment={deployment} onClose={onClose} />
    </FormModal>
  )
}

type UpdateInput = Parameters<typeof client.deployments.update>[0]

function EditForm({ deployment, onClose }: Omit<Props, 'opened'>) {
  const { id, kind, slug } = deployment
  const [draft, setDraft] = useState(() => draftOf(deployment))
  const { submit, isPending, problem, error } = useSubmit({
    fields: termFields,
    input: { id, ...termsOf(kind, draft) },
    send: (input: UpdateInput) => client.deployments.update(input),
    onDone: async (changed) => {
      queryClient.setQueryData(deploymentQuery(String(id)).queryKey, changed)
      notifyDone(`The ${kinds[kind].noun} ${slug} is changed.`)
      onClose()
      await queryClient.invalidateQueries(deploymentsQuery)
    },
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Stack>
        <TermsFields kind={kind} draft={draft} onChange={setDraft} problem={problem} />
        <FormActions action="Save the changes" isPending={isPending} error={error} onCancel={onClose} />
      </Stack>
    </form>
  )
}
