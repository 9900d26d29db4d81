import { client } from '../../parts/api/client.js'
import { queryClient } from '../../parts/api/query-client.js'
import { FormModal } from '../../parts/form-dialog.js'
import { notifyDone } from '../../parts/notify.js'
import { SubmitForm } from '../../parts/submit-form.js'
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

function EditForm({ deployment, onClose }: Omit<Props, 'opened'>) {
  const { id, kind, slug } = deployment
  const form = useSubmit({
    initial: draftOf(deployment),
    input: (draft) => termsOf(kind, draft),
    fields: termFields,
    send: (terms) => client.deployments.update({ id, ...terms }),
    onDone: async (changed) => {
      queryClient.setQueryData(deploymentQuery(String(id)).queryKey, changed)
      notifyDone(`The ${kinds[kind].noun} ${slug} is changed.`)
      onClose()
      await queryClient.invalidateQueries(deploymentsQuery)
    },
  })
  return (
    <SubmitForm form={form} action="Save the changes" onCancel={onClose}>
      <TermsFields kind={kind} draft={form.values} onChange={form.set} problem={form.problem} />
    </SubmitForm>
  )
}
