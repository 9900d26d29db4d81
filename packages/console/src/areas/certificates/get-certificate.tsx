import { Anchor, Select, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'react-router'
import { client } from '../../parts/api/client.js'
import { followCertificates } from '../../parts/certificates/queries.js'
import type { Certificate } from '../../parts/certificates/state.js'
import { FormModal } from '../../parts/form-dialog.js'
import { notifyDone } from '../../parts/notify.js'
import { QueryView } from '../../parts/query-view.js'
import { SubmitForm } from '../../parts/submit-form.js'
import { useSubmit } from '../../parts/use-submit.js'
import { verifiedZonesQuery } from '../../parts/verified-zones.js'

interface Props {
  readonly opened: boolean
  readonly onClose: () => void
  /** Those that the account has. */
  readonly certificates: readonly Certificate[]
  readonly onOrdered: (ordered: Certificate) => void
}

/** Orders the certificate of a zone. */
export function GetCertificate({ opened, onClose, certificates, onOrdered }: Props) {
  const query = useQuery({ ...verifiedZonesQuery, enabled: opened })
  const having = new Set(certificates.map(({ zone }) => zone))
  return (
    <FormModal opened={opened} onClose={onClose} title="Get a certificate for a zone">
      <QueryView query={query}>
        {({ zones }) => {
          const left = zones.map(({ zone }) => zone).filter((zone) => !having.has(zone))
          return left.length === 0 ? (
            <NoZone hasZones={zones.length > 0} />
          ) : (
            <Form zones={left} onClose={onClose} onOrdered={onOrdered} />
          )
        }}
      </QueryView>
    </FormModal>
  )
}

const NoZone = ({ hasZones }: { readonly hasZones: boolean }) => (
  <Text size="sm">
    {hasZones ? 'Each of your verified zones has a certificate. ' : 'You have no verified zone yet. '}
    <Anchor component={Link} to="/dns?claim" underline="always" inherit data-autofocus>
      Claim {hasZones ? 'another zone' : 'the zone of your domain'} under DNS
    </Anchor>
    , then get its certificate here.
  </Text>
)

interface FormProps extends Pick<Props, 'onClose' | 'onOrdered'> {
  readonly zones: readonly string[]
}

function Form({ zones, onClose, onOrdered }: FormProps) {
  // The page of a zone names it.
  const [parameters] = useSearchParams()
  const named = parameters.get('get') ?? ''
  const form = useSubmit({
    initial: { zone: zones.includes(named) ? named : (zones[0] ?? '') },
    send: (input) => client.tls.order(input),
    onDone: async (ordered, { zone }) => {
      onClose()
      await followCertificates()
      onOrdered(ordered)
      notifyDone(`The certificate for ${zone} is being ordered.`)
    },
  })
  const { zone } = form.values
  return (
    <SubmitForm form={form} action="Get the certificate" onCancel={onClose}>
      <Select
        label="Zone"
        description="One of your verified zones that has no certificate yet."
        data={[...zones]}
        value={zone}
        onChange={(chosen) => form.set({ zone: chosen ?? zone })}
        error={form.problem('zone')}
        allowDeselect={false}
        searchable={zones.length > 10}
        openOnFocus={false}
        // The zones may arrive after the dialog has taken the focus.
        autoFocus
      />
      <Text size="sm">
        It is for <b>{zone}</b> and <b>*.{zone}</b>, comes within seconds, and is renewed until you delete it. Its names
        are proven in DNS, so the{' '}
        <Anchor component={Link} to={`/dns/${encodeURIComponent(zone)}`} underline="always" inherit>
          nameservers of {zone}
        </Anchor>{' '}
        must be those of this server.
      </Text>
    </SubmitForm>
  )
}
