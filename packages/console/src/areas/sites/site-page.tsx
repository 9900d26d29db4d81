import { Anchor, Button, Group, Stack } from '@mantine/core'
import { areas } from '@svc/contract'
import { IconBrowserX, IconExternalLink, IconTrash, IconUpload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { client } from '../../parts/api/client.js'
import { Confirm } from '../../parts/confirm.js'
import { CopyIcon } from '../../parts/copy.js'
import { EmptyState } from '../../parts/empty-state.js'
import { counted, formatBytes } from '../../parts/format.js'
import { notifyDone } from '../../parts/notify.js'
import { Page } from '../../parts/page.js'
import { QueryView } from '../../parts/query-view.js'
import { SectionTitle } from '../../parts/text.js'
import { TimeAgo } from '../../parts/time.js'
import { useDialogInUrl } from '../../parts/url-state.js'
import { useNavigateHere } from '../../parts/use-navigate-here.js'
import { DeployDialog } from './deploy-dialog.js'
import { Domains } from './domains.js'
import { DropArea } from './drop-area.js'
import type { Dropped } from './dropped-files.js'
import { refreshSites, sitesQuery, type Site } from './queries.js'
import { Versions } from './versions.js'

/** One site: its address, versions and domains. */
export function SitePage() {
  const { name = '' } = useParams()
  const query = useQuery(sitesQuery)
  const site = query.data?.sites.find((other) => other.name === name)
  const deploy = useDialogInUrl('deploy')
  return (
    <Page
      title={name}
      lead={site && <Facts {...site} />}
      above={{ label: 'Sites', path: '/sites' }}
      actions={
        site && (
          <>
            <Delete name={name} />
            <Button leftSection={<IconUpload size={16} />} onClick={deploy.open}>
              Deploy a new version
            </Button>
          </>
        )
      }
      requests={[
        { op: areas.sites.list, input: {} },
        { op: areas.sites.deploy, input: { name, archive: '<the zip in base64>' } },
        { op: areas.sites.versions, input: { name } },
        { op: areas.sites.domains, input: {} },
        { op: areas.sites.delete, input: { name } },
      ]}
    >
      <QueryView query={query}>
        {() => (site ? <SiteView name={name} deploy={deploy} /> : <Missing name={name} />)}
      </QueryView>
    </Page>
  )
}

interface ViewProps {
  readonly name: string
  readonly deploy: ReturnType<typeof useDialogInUrl>
}

function SiteView({ name, deploy }: ViewProps) {
  const [dropped, setDropped] = useState<Dropped>()
  return (
    <Stack gap="xl">
      <DeployDialog
        opened={deploy.isOpen}
        onClose={deploy.close}
        dropped={dropped}
        onDrop={setDropped}
        site={name}
        onDeployed={({ version_number: number }) => notifyDone(`${name} serves v${number}.`)}
      />
      <Stack gap="sm">
        <SectionTitle>Versions</SectionTitle>
        <Versions name={name} />
        <DropArea
          title="Drop a folder or a zip to deploy a new version"
          onDrop={(files) => {
            setDropped(files)
            deploy.open()
          }}
        />
      </Stack>
      <Domains name={name} />
    </Stack>
  )
}

function Facts({ url, files, size, deployed_at }: Site) {
  return (
    <>
      <Group gap={4} wrap="nowrap">
        <Anchor href={url} target="_blank" rel="noreferrer" size="sm" style={{ overflowWrap: 'anywhere' }}>
          {url} <IconExternalLink size={14} aria-label="in a new tab" />
        </Anchor>
        <CopyIcon value={url} what="the address" />
      </Group>
      {counted(files, 'file')}, {formatBytes(size)}, deployed <TimeAgo at={deployed_at} />
    </>
  )
}

function Delete({ name }: { readonly name: string }) {
  const navigate = useNavigateHere()
  return (
    <Confirm
      title={`Delete ${name}?`}
      action="Delete the site"
      word={name}
      run={async () => {
        await client.sites.delete({ name })
        await navigate('/sites')
        await refreshSites()
        notifyDone(`${name} is deleted.`)
      }}
      trigger={(open) => (
        <Button variant="default" leftSection={<IconTrash size={16} />} onClick={open}>
          Delete the site
        </Button>
      )}
    >
      Its address and its domains stop working at once, and the DNS records of the domains are removed. All versions are
      lost, and another account can take the name.
    </Confirm>
  )
}

function Missing({ name }: { readonly name: string }) {
  return (
    <EmptyState
      icon={IconBrowserX}
      title={`There is no site ${name}`}
      action={
        <Button component={Link} to="/sites">
          Go to the sites
        </Button>
      }
    >
      It was deleted, or it belongs to another account.
    </EmptyState>
  )
}
