import { Alert, Button, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { IconCertificate, IconInfoCircle, IconPlus, IconSearch } from '@tabler/icons-react'
import { areas } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useMemo } from 'react'
import { certificatesQuery } from '../../parts/certificates/queries.js'
import { byUrgency, levelOf, nameOf, type Certificate } from '../../parts/certificates/state.js'
import { useChangedRows, type ChangedRows } from '../../parts/data-table-changes.js'
import { DataTable } from '../../parts/data-table.js'
import { decodedName } from '../../parts/decode-name.js'
import { EmptyState } from '../../parts/empty-state.js'
import { counted } from '../../parts/format.js'
import { searchField } from '../../parts/key-targets.js'
import { Page } from '../../parts/page.js'
import { QueryView } from '../../parts/query-view.js'
import { useDialogInUrl, useFilter, useItemInUrl } from '../../parts/url-state.js'
import { CertificateLines, columns } from './columns.js'
import { DownloadKey } from './download-key.js'
import { GetCertificate } from './get-certificate.js'

/** The certificates of the account's zones, and of the own domains of its sites. */
export function CertificatesPage() {
  const query = useQuery(certificatesQuery)
  const dialog = useDialogInUrl('get')
  const [changed, show] = useChangedRows()
  const isOn = query.data?.unavailable === null
  const get = (
    <Button leftSection={<IconPlus size={16} />} onClick={dialog.open}>
      Get a certificate
    </Button>
  )
  return (
    <Page
      title="Certificates"
      lead="The server orders certificates for your zones and for the own domains of your sites, serves them, and renews them."
      actions={isOn && get}
      requests={[{ op: areas.tls.list }, { op: areas.tls.order }, { op: areas.tls.renew }, { op: areas.tls.key }]}
    >
      <QueryView query={query}>
        {({ certificates, unavailable }) => (
          <>
            {unavailable !== null && <Unavailable reason={unavailable} />}
            {isOn && (
              <GetCertificate
                opened={dialog.isOpen}
                onClose={dialog.close}
                certificates={certificates}
                onOrdered={(ordered) => show({ keys: [nameOf(ordered)] })}
              />
            )}
            {certificates.length > 0 && <List certificates={certificates} changed={changed} />}
            {isOn && certificates.length === 0 && (
              <EmptyState icon={IconCertificate} title="No certificates yet" action={get}>
                Own domains of your sites get a certificate by themselves. For other servers, get one for a zone: it is
                for the zone and all names one label below it, and you can download it with its key.
              </EmptyState>
            )}
          </>
        )}
      </QueryView>
    </Page>
  )
}

function Unavailable({ reason }: { readonly reason: string }) {
  return (
    <Alert color="blue" icon={<IconInfoCircle size={18} />} title="No certificates are ordered here">
      <Stack gap={4}>
        <Text size="sm">{reason}</Text>
        <Text size="sm">
          With <code>SVC_ACME=on</code>, the server orders certificates itself. Behind a proxy that ends TLS, the proxy
          has the certificates, and this page stays empty.
        </Text>
      </Stack>
    </Alert>
  )
}

interface ListProps {
  readonly certificates: readonly Certificate[]
  readonly changed: ChangedRows | undefined
}

function List({ certificates, changed }: ListProps) {
  const [text, setText] = useFilter('q')
  const [show, setShow] = useFilter('show')
  const download = useItemInUrl('download')
  const wanted = useDeferredValue(text.trim().toLowerCase())
  const sorted = useMemo(() => byUrgency(certificates), [certificates])
  const troubled = sorted.filter(needsAttention)
  const shown = (show === '' ? sorted : troubled).filter((certificate) => matches(certificate, wanted))
  return (
    <>
      <Group justify="space-between">
        <Group gap="xs">
          <TextInput
            {...searchField}
            aria-label="Filter by name"
            placeholder="Filter by name"
            leftSection={<IconSearch size={16} />}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            w={{ base: '100%', xs: 260 }}
          />
          <SegmentedControl
            aria-label="Status"
            value={show === '' ? 'all' : 'attention'}
            onChange={(value) => setShow(value === 'all' ? '' : value)}
            data={[
              { value: 'all', label: 'All' },
              { value: 'attention', label: 'Need attention' },
            ]}
          />
        </Group>
        <Text size="sm" c="dimmed" role="status">
          {shown.length === sorted.length
            ? countsText(sorted.length, troubled.length)
            : `${counted(shown.length, 'certificate')} of ${String(sorted.length)}`}
        </Text>
      </Group>
      <DataTable
        label="Certificates"
        rows={shown}
        rowKey={nameOf}
        columns={columns}
        changed={changed}
        lines={CertificateLines}
        empty={<Text c="dimmed">No certificate matches this filter.</Text>}
      />
      <DownloadKey
        certificate={certificates.find(({ zone }) => zone !== null && zone === download.item)}
        onClose={download.close}
      />
    </>
  )
}

function countsText(all: number, troubled: number): string {
  const certificates = counted(all, 'certificate')
  return troubled === 0
    ? certificates
    : `${certificates}, ${String(troubled)} ${troubled === 1 ? 'needs' : 'need'} attention`
}

const needsAttention = (certificate: Certificate): boolean => !['ordering', 'valid'].includes(levelOf(certificate))

const matches = ({ names, site }: Certificate, text: string): boolean =>
  [...names, ...names.map((name) => decodedName(name) ?? ''), site ?? ''].some((value) => value.includes(text))
