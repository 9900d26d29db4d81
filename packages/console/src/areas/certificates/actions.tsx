import { Menu } from '@mantine/core'
import { IconDownload, IconRefresh, IconTrash } from '@tabler/icons-react'
import { client } from '../../parts/api/client.js'
import { followCertificates } from '../../parts/certificates/queries.js'
import { isUnderWay, nameOf, type Certificate } from '../../parts/certificates/state.js'
import { Confirm } from '../../parts/confirm.js'
import { formatDate } from '../../parts/format.js'
import { notifyDone, notifyError, notifyUndo } from '../../parts/notify.js'
import { RowMenu } from '../../parts/row-menu.js'
import { useItemInUrl } from '../../parts/url-state.js'
import { useSingleMutation } from '../../parts/use-single-mutation.js'

/** What can be done with a certificate. One of an own domain follows the domain: it can be ordered again after its first order has failed. */
export function CertificateActions({ certificate }: { readonly certificate: Certificate }) {
  const { zone, site, not_after: end, error } = certificate
  if (zone !== null) return <ZoneActions certificate={certificate} zone={zone} />
  return site === null || end !== null || error === null ? null : (
    <DomainActions certificate={certificate} site={site} />
  )
}

function DomainActions({ certificate, site }: { readonly certificate: Certificate; readonly site: string }) {
  const host = nameOf(certificate)
  const ordering = useSingleMutation({
    mutationFn: () => client.sites.domainAdd({ name: site, host }),
    onSuccess: async () => {
      notifyDone(`The certificate for ${host} is being ordered.`)
      await followCertificates()
    },
    onError: notifyError,
  })
  return (
    <RowMenu of={`the certificate for ${host}`}>
      <Menu.Item
        leftSection={<IconRefresh size={16} />}
        disabled={certificate.next_attempt === null || isUnderWay(certificate) || ordering.isPending}
        onClick={() => ordering.mutate()}
      >
        Order now
      </Menu.Item>
    </RowMenu>
  )
}

function ZoneActions({ certificate, zone }: { readonly certificate: Certificate; readonly zone: string }) {
  const download = useItemInUrl('download')
  const { not_after: end, next_attempt: next } = certificate
  const renewing = useSingleMutation({
    mutationFn: () => client.tls.renew({ zone }),
    onSuccess: async () => {
      notifyDone(`The certificate for ${zone} is being ${end === null ? 'ordered' : 'renewed'}.`)
      await followCertificates()
    },
    onError: notifyError,
  })
  const remove = async () => {
    await client.tls.delete({ zone })
    notifyUndo(`The certificate for ${zone} is deleted.`, async () => {
      await client.tls.order({ zone })
      await followCertificates()
    })
    await followCertificates()
  }
  return (
    <Confirm
      title={`Delete the certificate for ${zone}?`}
      action="Delete the certificate"
      run={remove}
      trigger={(open) => (
        <RowMenu of={`the certificate for ${zone}`}>
          <Menu.Item
            leftSection={<IconRefresh size={16} />}
            disabled={next === null || isUnderWay(certificate) || renewing.isPending}
            onClick={() => renewing.mutate()}
          >
            {end === null ? 'Order now' : 'Renew now'}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconDownload size={16} />}
            disabled={end === null}
            onClick={() => download.open(zone)}
          >
            Download with its key
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={open}>
            Delete
          </Menu.Item>
        </RowMenu>
      )}
    >
      {end === null
        ? 'It is not ordered any more.'
        : `It is served until ${formatDate(end)}, and not renewed. Its key can no longer be downloaded. Servers to which you have copied it go on with it until then.`}
    </Confirm>
  )
}
