import { countColumn, sizeColumn, timeColumn } from '../../parts/columns.js'
import { Anchor, Button, Stack } from '@mantine/core'
import { areas } from '@svc/contract'
import { IconUpload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { DataTable, type Column } from '../../parts/data-table.js'
import { notifyDone } from '../../parts/notify.js'
import { Page } from '../../parts/page.js'
import { QueryView } from '../../parts/query-view.js'
import { Hint } from '../../parts/text.js'
import { useDialogInUrl } from '../../parts/url-state.js'
import { useNavigateHere } from '../../parts/use-navigate-here.js'
import { DeployDialog } from './deploy-dialog.js'
import { DropArea } from './drop-area.js'
import type { Dropped } from './dropped-files.js'
import { sitesQuery, type Site } from './queries.js'

/** The sites of the account, and the place to drop a new one. */
export function SitesPage() {
  const query = useQuery(sitesQuery)
  const dialog = useDialogInUrl('new')
  const navigate = useNavigateHere()
  const [dropped, setDropped] = useState<Dropped>()
  const drop = (files: Dropped) => {
    setDropped(files)
    dialog.open()
  }
  return (
    <Page
      title="Sites"
      lead="Put a folder online as a website. A new version replaces the old one completely, or not at all."
      actions={
        <Button leftSection={<IconUpload size={16} />} onClick={dialog.open}>
          Deploy a site
        </Button>
      }
      requests={[{ op: areas.sites.list }, { op: areas.sites.deploy }]}
    >
      <DeployDialog
        opened={dialog.isOpen}
        onClose={dialog.close}
        dropped={dropped}
        onDrop={setDropped}
        onDeployed={({ name, url }) => {
          notifyDone(`${name} is online at ${url}`)
          void navigate(`/sites/${name}`)
        }}
      />
      <QueryView query={query}>
        {({ sites }) => (
          <Stack gap="lg">
            {sites.length > 0 && <DataTable label="Sites" rows={sites} rowKey={({ id }) => id} columns={columns} />}
            <DropArea
              title={sites.length > 0 ? 'Drop a folder or a zip to deploy it' : 'Drop a folder here to put it online'}
              onDrop={drop}
            >
              {sites.length === 0 && (
                <>
                  Take the folder that your build tool writes, or any folder with an <code>index.html</code>. It gets an
                  address at once, and you can add your own domain later.
                </>
              )}
            </DropArea>
          </Stack>
        )}
      </QueryView>
    </Page>
  )
}

const columns: readonly Column<Site>[] = [
  {
    key: 'name',
    header: 'Name',
    sortBy: ({ name }) => name,
    cell: ({ name, url }) => (
      <>
        <Anchor component={Link} to={`/sites/${name}`} fw={500} size="sm">
          {name}
        </Anchor>
        <Hint>{new URL(url).host}</Hint>
      </>
    ),
  },
  countColumn('files', 'Files', { wideOnly: true }),
  sizeColumn('size', 'Size', { wideOnly: true }),
  timeColumn('deployed_at', 'Last deploy', { align: 'right' }),
]
