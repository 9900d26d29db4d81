import { Button, Stack, Text } from '@mantine/core'
import { areas } from '@svc/contract'
import { IconPencil, IconTrash, IconUpload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { useParams } from 'react-router'
import { client } from '../../parts/api/client.js'
import { Confirm } from '../../parts/confirm.js'
import { counted } from '../../parts/format.js'
import { notifyDone } from '../../parts/notify.js'
import { Page } from '../../parts/page.js'
import { Lines, QueryView } from '../../parts/query-view.js'
import { useDialogInUrl } from '../../parts/url-state.js'
import { useNavigateHere } from '../../parts/use-navigate-here.js'
import { DetailsDialog } from './details-dialog.js'
import { Install } from './install.js'
import { PublishDialog } from './publish-dialog.js'
import { packageQuery, packagesQuery, refreshPackages, type Package, type Version } from './queries.js'
import { latestOf } from './version-numbers.js'
import { Versions } from './versions.js'

/** One package: its versions, artifacts and downloads. */
export function PackagePage() {
  const { slug = '' } = useParams()
  const query = useQuery(packageQuery(slug))
  const publish = useDialogInUrl('publish')
  const edit = useDialogInUrl('edit')
  const found = query.data
  return (
    <Page
      title={found?.package.name ?? slug}
      lead={found && <Facts of={found.package} />}
      above={{ label: 'Packages', path: '/packages' }}
      actions={
        found && (
          <>
            <Delete slug={slug} />
            <Button variant="default" leftSection={<IconPencil size={16} />} onClick={edit.open}>
              Edit the details
            </Button>
            <Button leftSection={<IconUpload size={16} />} onClick={publish.open}>
              Publish a version
            </Button>
          </>
        )
      }
      requests={[
        { op: areas.packages.get, input: { slug } },
        { op: areas.packages.publish },
        { op: areas.packages.update, input: { slug, name: found?.package.name ?? slug } },
        { op: areas.packages.delete, input: { slug } },
      ]}
    >
      <QueryView query={query}>
        {({ package: details, versions }) => (
          <>
            <DetailsDialog key={details.updated_at} of={details} opened={edit.isOpen} onClose={edit.close} />
            <PublishDialog
              opened={publish.isOpen}
              onClose={publish.close}
              onPublished={() => undefined}
              slug={slug}
              versions={versions.map(({ version }) => version)}
            />
            <Body versions={versions} />
          </>
        )}
      </QueryView>
    </Page>
  )
}

const Downloads = lazy(() => import('./downloads.js'))

function Body({ versions }: { readonly versions: readonly Version[] }) {
  const latest = latestOf(versions.map(({ version }) => version))
  const shown = versions.find(({ version }) => version === latest) ?? versions[0]
  const hasDownloads = versions.some(({ downloads }) => downloads > 0)
  return (
    <Stack gap="xl">
      {shown && <Install key={shown.version} version={shown} isLatest={shown.version === latest} />}
      <Versions versions={versions} latest={latest} />
      {hasDownloads && (
        <Suspense fallback={<Lines count={4} />}>
          <Downloads versions={versions} />
        </Suspense>
      )}
    </Stack>
  )
}

function Facts({ of: { slug, name, description, versions, downloads } }: { readonly of: Package }) {
  return (
    <>
      {description !== '' && <Text inherit>{description}</Text>}
      {[name === slug ? '' : slug, counted(versions, 'version'), counted(downloads, 'download')]
        .filter(Boolean)
        .join(', ')}
    </>
  )
}

function Delete({ slug }: { readonly slug: string }) {
  const navigate = useNavigateHere()
  return (
    <Confirm
      title={`Delete ${slug}?`}
      action="Delete the package"
      word={slug}
      run={async () => {
        await client.packages.delete({ slug })
        await navigate('/packages')
        // Not the package itself: its page may still be shown, and would report 404.
        await refreshPackages(packagesQuery.queryKey)
        notifyDone(`${slug} is deleted.`)
      }}
      trigger={(open) => (
        <Button variant="default" leftSection={<IconTrash size={16} />} onClick={open}>
          Delete the package
        </Button>
      )}
    >
      All versions and files are deleted, and their addresses stop working. The name stays yours, but a version number
      that was published once cannot be used again.
    </Confirm>
  )
}
