import { Switch } from '@mantine/core'
import { client } from '../../parts/api/client.js'
import { queryClient } from '../../parts/api/query-client.js'
import { notifyError, notifyUndo } from '../../parts/notify.js'
import { kinds } from './kinds.js'
import { deploymentQuery, deploymentsQuery, type Deployment } from './queries.js'

type Switched = Pick<Deployment, 'id' | 'kind' | 'slug' | 'enabled'>

/** Shows the new state at once, and takes it back if the server refuses it. */
async function setEnabled({ id }: Switched, enabled: boolean): Promise<void> {
  const [all, one] = [deploymentsQuery, deploymentQuery(String(id))]
  await Promise.all([queryClient.cancelQueries(all), queryClient.cancelQueries(one)])
  const show = (shown: boolean) => {
    queryClient.setQueryData(all.queryKey, (list) =>
      list?.map((each) => (each.id === id ? { ...each, enabled: shown } : each)),
    )
    queryClient.setQueryData(one.queryKey, (detail) => detail && { ...detail, enabled: shown })
  }
  show(enabled)
  try {
    await client.deployments.toggle({ id, enabled })
  } catch (error) {
    // Without a connection, the reads below would fail too.
    show(!enabled)
    throw error
  } finally {
    void queryClient.invalidateQueries(all)
    void queryClient.invalidateQueries(one)
  }
}

/** Enables and disables a deployment. */
export function EnabledSwitch({ deployment, withLabel = false }: { deployment: Switched; withLabel?: boolean }) {
  const { kind, slug, enabled } = deployment
  const change = async (isOn: boolean) => {
    await setEnabled(deployment, isOn)
    const state = isOn ? 'enabled' : 'disabled: its address does not work'
    notifyUndo(`The ${kinds[kind].noun} ${slug} is ${state}.`, () => setEnabled(deployment, !isOn))
  }
  return (
    <Switch
      checked={enabled}
      label={withLabel ? 'Enabled' : undefined}
      aria-label={withLabel ? undefined : `Enable ${slug}`}
      onChange={(event) => void change(event.currentTarget.checked).catch(notifyError)}
    />
  )
}
