import { Badge, Button, Group, Paper, SimpleGrid, Stack } from '@mantine/core'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import { areas } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'
import { client } from '../../parts/api/client.js'
import { MissingPage } from '../../parts/missing-page.js'
import { queryClient } from '../../parts/api/query-client.js'
import { Confirm } from '../../parts/confirm.js'
import { CopyText } from '../../parts/copy.js'
import { Fact } from '../../parts/fact.js'
import { formatCount } from '../../parts/format.js'
import { notifyDone } from '../../parts/notify.js'
import { Page } from '../../parts/page.js'
import { pathIdIn } from '../../parts/path-id.js'
import { QueryView } from '../../parts/query-view.js'
import { TimeAgo } from '../../parts/time.js'
import { useDialogInUrl } from '../../parts/url-state.js'
import { useNavigateHere } from '../../parts/use-navigate-here.js'
import { EditDeployment } from './edit-deployment.js'
import { EnabledSwitch } from './enabled.js'
import { FormView } from './form-view.js'
import { kinds } from './kinds.js'
import { LinkView } from './link-view.js'
import { deploymentQuery, deploymentsQuery, type Detail } from './queries.js'
import { UseHistory } from './use-history.js'
import { WebhookView } from './webhook-view.js'

const above = { label: 'Forms and links', path: '/deployments' }

/** One form, webhook or short link. */
export function DeploymentPage() {
  const id = pathIdIn(useParams()['id'])
  return id === undefined ? <MissingPage /> : <KnownDeployment id={String(id)} />
}

/** The lists of what a deployment has received. */
const received = {
  form: [areas.deployments.submissions, areas.deployments.submissionsExport],
  webhook: [areas.deployments.requests],
  shortlink: [],
} as const

function KnownDeployment({ id }: { readonly id: string }) {
  const query = useQuery(deploymentQuery(id))
  const deployment = query.data
  if (deployment === undefined)
    return (
      <Page title="Forms and links" above={above} requests={[{ op: areas.deployments.list }]}>
        <QueryView query={query}>{() => null}</QueryView>
      </Page>
    )
  const { kind, slug, enabled } = deployment
  return (
    <Page
      title={`${kinds[kind].label} ${slug}`}
      lead={enabled ? kinds[kind].purpose : 'Disabled: its address does not work until you enable it.'}
      above={above}
      actions={<Actions {...deployment} />}
      requests={[
        { op: areas.deployments.get, input: { id: String(deployment.id) } },
        ...received[kind].map((op) => ({ op, input: { id: String(deployment.id) } })),
        { op: areas.deployments.uses, input: { id: String(deployment.id) } },
        { op: areas.deployments.toggle, input: { id: deployment.id, enabled: !enabled } },
        { op: areas.deployments.delete, input: { id: deployment.id } },
      ]}
    >
      <QueryView query={query}>
        {(detail) => (
          <Stack gap="lg">
            <Facts {...detail} />
            <UseHistory deployment={detail} />
            {detail.kind === 'form' && <FormView {...detail} />}
            {detail.kind === 'webhook' && <WebhookView {...detail} />}
            {detail.kind === 'shortlink' && <LinkView {...detail} />}
          </Stack>
        )}
      </QueryView>
    </Page>
  )
}

function Actions(deployment: Detail) {
  const { id, kind, slug } = deployment
  const navigate = useNavigateHere()
  const dialog = useDialogInUrl('edit')
  const { noun } = kinds[kind]
  return (
    <>
      <EnabledSwitch deployment={deployment} withLabel />
      <Button variant="default" leftSection={<IconPencil size={16} />} onClick={dialog.open}>
        Edit
      </Button>
      <EditDeployment deployment={deployment} opened={dialog.isOpen} onClose={dialog.close} />
      <Confirm
        title={`Delete ${slug}?`}
        action={`Delete the ${noun}`}
        word={slug}
        run={async () => {
          await client.deployments.delete({ id })
          await navigate('/deployments')
          queryClient.removeQueries(deploymentQuery(String(id)))
          await queryClient.invalidateQueries(deploymentsQuery)
          notifyDone(`The ${noun} ${slug} is deleted.`)
        }}
        trigger={(open) => (
          <Button variant="default" leftSection={<IconTrash size={16} />} onClick={open} aria-label={`Delete ${slug}`}>
            Delete
          </Button>
        )}
      >
        {lost[kind]} This cannot be undone.
      </Confirm>
    </>
  )
}

const lost: Readonly<Record<Detail['kind'], string>> = {
  form: 'Its address stops working, and its submissions are deleted.',
  webhook: 'Its address stops working, and its requests and waiting deliveries are deleted.',
  shortlink: 'Its address stops working, also where it is printed.',
}

/** The address, and the figures of every kind. */
function Facts({ kind, url, target, uses, created_at, updated_at, enabled }: Detail) {
  return (
    <Paper withBorder p="md">
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Fact label="Address">
          <CopyText value={url} what="the address" />
        </Fact>
        {kind !== 'form' && (
          <Fact label={kind === 'webhook' ? 'Forwards to' : 'Target'}>
            {target === null ? 'None: requests are only kept here' : <CopyText value={target} what="the target" />}
          </Fact>
        )}
        <Fact label={kind === 'form' ? 'Submissions' : 'Uses'}>
          <Group gap="xs">
            {formatCount(uses)}
            {!enabled && (
              <Badge variant="light" color="gray">
                Disabled
              </Badge>
            )}
          </Group>
        </Fact>
        <Fact label="Last changed">
          <TimeAgo at={updated_at} />, created <TimeAgo at={created_at} />
        </Fact>
      </SimpleGrid>
    </Paper>
  )
}
