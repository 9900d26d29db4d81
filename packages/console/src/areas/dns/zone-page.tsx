import { Button, Group, Menu } from '@mantine/core'
import { IconChartBar, IconDots, IconDownload, IconFileImport, IconHistory, IconTrash } from '@tabler/icons-react'
import { areas, consolePath } from '@svc/contract'
import { usePrefetchQuery, useQuery } from '@tanstack/react-query'
import { Link, useParams } from 'react-router'
import { client } from '../../parts/api/client.js'
import { serverPath } from '../../parts/api/base.js'
import { Confirm } from '../../parts/confirm.js'
import { DecodedName } from '../../parts/decoded-name.js'
import { notifyDone } from '../../parts/notify.js'
import { Page } from '../../parts/page.js'
import { QueryView } from '../../parts/query-view.js'
import { useDialogInUrl } from '../../parts/url-state.js'
import { useIsNarrow } from '../../parts/use-is-narrow.js'
import { useNavigateHere } from '../../parts/use-navigate-here.js'
import { Delegation } from './delegation.js'
import { ImportZone } from './import-zone.js'
import { recordsQuery, zoneQuery, zonesChanged, type Claim } from './queries.js'
import { Records } from './records.js'
import { PendingZone } from './status-card.js'
import classes from './zone-page.module.css'
import { ZoneCertificate } from './zone-certificate.js'
import { StatusBadge } from './zones-page.js'

/** One zone: its status, the next step, and its records. */
export function ZonePage() {
  const { zone = '' } = useParams()
  const query = useQuery(zoneQuery(zone))
  // Beside the zone, not after it. Of a pending zone there are none.
  usePrefetchQuery(recordsQuery(zone))
  const claim = query.data
  const isVerified = claim?.status === 'verified'
  return (
    <Page
      title={zone}
      lead={
        claim && (
          <>
            <DecodedName text={zone} />
            <Group gap="sm">
              <StatusBadge status={claim.status} />
              {isVerified && <ZoneCertificate zone={zone} />}
            </Group>
          </>
        )
      }
      above={{ label: 'DNS', path: '/dns' }}
      actions={claim && <ZoneActions claim={claim} />}
      requests={
        isVerified
          ? [
              { op: areas.dns.recordList, input: { zone } },
              { op: areas.dns.recordCreate, input: { zone, type: 'A', host: 'www', value: '192.0.2.1' } },
              { op: areas.dns.zoneFileExport, input: { zone } },
              { op: areas.dns.zoneRelease, input: { zone } },
            ]
          : [
              { op: areas.dns.zoneGet, input: { zone } },
              { op: areas.dns.zoneVerify, input: { zone } },
            ]
      }
    >
      <QueryView query={query}>
        {(found) =>
          found.status === 'pending' ? (
            <PendingZone claim={found} />
          ) : (
            <>
              <Delegation claim={found} />
              <Records zone={found.zone} />
            </>
          )
        }
      </QueryView>
    </Page>
  )
}

function ZoneActions({ claim: { zone, status } }: { readonly claim: Claim }) {
  const dialog = useDialogInUrl('import')
  const navigate = useNavigateHere()
  const release = async () => {
    await client.dns.zoneRelease({ zone })
    await navigate('/dns')
    notifyDone(`${zone} is released.`)
    await zonesChanged()
  }
  const isVerified = status === 'verified'
  const isNarrow = useIsNarrow()
  const importing = { leftSection: <IconFileImport size={16} />, onClick: dialog.open, children: 'Import a zone file' }
  const exporting = {
    component: 'a',
    href: serverPath + consolePath(areas.dns.zoneFileExport.path).replace('{zone}', encodeURIComponent(zone)),
    download: true,
    leftSection: <IconDownload size={16} />,
    children: 'Export the zone file',
  } as const
  const history = {
    component: Link,
    to: `/dns/${zone}/history`,
    leftSection: <IconHistory size={16} />,
    children: 'History',
  } as const
  const queries = {
    component: Link,
    to: `/dns/${zone}/queries`,
    leftSection: <IconChartBar size={16} />,
    children: 'Queries',
  } as const
  return (
    <Group gap="xs">
      {isVerified && <ImportZone zone={zone} opened={dialog.isOpen} onClose={dialog.close} />}
      {isVerified && !isNarrow && (
        <>
          <Button variant="default" {...queries} />
          <Button variant="default" {...history} />
          <Button variant="default" {...importing} />
          <Button variant="default" {...exporting} />
        </>
      )}
      <Confirm
        title={`Release ${zone}?`}
        action="Release the zone"
        word={zone}
        run={release}
        trigger={(open) => (
          <Menu position="bottom-end">
            <Menu.Target>
              <Button variant="default" px={10} aria-label="More actions" className={classes['menu']}>
                <IconDots size={16} />
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              {isVerified && isNarrow && (
                <>
                  <Menu.Item {...queries} />
                  <Menu.Item {...history} />
                  <Menu.Item {...importing} />
                  <Menu.Item {...exporting} />
                  <Menu.Divider />
                </>
              )}
              <Menu.Item
                leftSection={<IconHistory size={16} />}
                component={Link}
                to={`/activity?object=${encodeURIComponent(zone)}`}
              >
                Activity
              </Menu.Item>
              <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={open}>
                Release the zone
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        )}
      >
        {isVerified
          ? 'The records are kept and still served until another account is verified for the zone. To stop serving them, delete them first. If you claim the zone again, you get them back.'
          : 'The claim ends, and its TXT record is no longer valid. You can claim the zone again at any time.'}
      </Confirm>
    </Group>
  )
}
