import { Anchor, Select, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { client } from '../../parts/api/client.js'
import { queryClient } from '../../parts/api/query-client.js'
import { followCertificates } from '../../parts/certificates/queries.js'
import { FormModal } from '../../parts/form-dialog.js'
import { notifyDone } from '../../parts/notify.js'
import { QueryView } from '../../parts/query-view.js'
import { SubmitForm } from '../../parts/submit-form.js'
import { useSubmit } from '../../parts/use-submit.js'
import { verifiedZonesQuery } from '../../parts/verified-zones.js'
import { refreshSites } from './queries.js'

interface Props {
  readonly name: string
  readonly opened: boolean
  readonly onClose: () => void
}

/** Serves a site at a host of a verified zone. */
export function AddDomain({ name, opened, onClose }: Props) {
  const query = useQuery({ ...verifiedZonesQuery, enabled: opened })
  return (
    <FormModal opened={opened} onClose={onClose} title={`Add a domain to ${name}`}>
      <QueryView query={query}>
        {({ zones }) =>
          zones.length === 0 ? (
            <Text size="sm">
              You have no verified zone yet.{' '}
              <Anchor component={Link} to="/dns" underline="always" inherit>
                Claim the zone of your domain under DNS
              </Anchor>
              , then add it here.
            </Text>
          ) : (
            <DomainForm name={name} zones={zones.map(({ zone }) => zone)} onClose={onClose} />
          )
        }
      </QueryView>
    </FormModal>
  )
}

interface FormProps {
  readonly name: string
  readonly zones: readonly string[]
  readonly onClose: () => void
}

const hostOf = ({ zone, label }: { readonly zone: string; readonly label: string }): string =>
  ['', '@'].includes(label.trim()) ? zone : `${label.trim()}.${zone}`

function DomainForm({ name, zones, onClose }: FormProps) {
  const form = useSubmit({
    initial: { zone: zones[0] ?? '', label: 'www' },
    input: (values) => ({ host: hostOf(values) }),
    send: ({ host }) => client.sites.domainAdd({ name, host }),
    onDone: async ({ host }) => {
      onClose()
      await refreshSites()
      // The zone has a new record.
      await queryClient.invalidateQueries({ queryKey: ['dns'] })
      await followCertificates()
      notifyDone(`${name} is served at ${host}.`)
    },
  })
  const { zone } = form.values
  return (
    <SubmitForm form={form} action="Add the domain" onCancel={onClose}>
      <Select
        label="Zone"
        description="One of your verified zones."
        data={[...zones]}
        value={zone}
        onChange={(chosen) => form.set({ zone: chosen ?? zone })}
        allowDeselect={false}
        searchable={zones.length > 10}
      />
      <TextInput
        {...form.text('label')}
        label="Name in the zone"
        description="Such as www or blog; @ for the zone itself."
        data-autofocus
        error={form.problem('host')}
        autoCapitalize="none"
        spellCheck={false}
      />
      <Text size="sm">
        The site will be served at <b>{hostOf(form.values)}</b>, and svc creates the DNS records. If the name has other
        records, nothing changes, and svc lists them. See the{' '}
        <Anchor component={Link} to={`/dns/${zone}`} underline="always" inherit>
          records of {zone}
        </Anchor>
        .
      </Text>
    </SubmitForm>
  )
}
