import { Anchor, Select, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { client } from '../../app/client.js'
import { queryClient } from '../../app/query-client.js'
import { FormActions } from '../../parts/form-actions.js'
import { FormModal } from '../../parts/form-dialog.js'
import { notifyDone } from '../../parts/notify.js'
import { QueryView } from '../../parts/query-view.js'
import { useSubmit } from '../../parts/use-submit.js'
import { refreshSites, verifiedZonesQuery } from './queries.js'

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

function DomainForm({ name, zones, onClose }: FormProps) {
  const [zone, setZone] = useState(zones[0] ?? '')
  const [label, setLabel] = useState('www')
  const host = ['', '@'].includes(label.trim()) ? zone : `${label.trim()}.${zone}`
  const { submit, isPending, problem, error } = useSubmit({
    fields: ['host'],
    input: { host },
    send: (input: { host: string }) => client.sites.domainAdd({ name, ...input }),
    onDone: async ({ host }) => {
      onClose()
      await refreshSites()
      // The zone has a new record.
      await queryClient.invalidateQueries({ queryKey: ['dns'] })
      notifyDone(`${name} is served at ${host}.`)
    },
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Stack>
        <Select
          label="Zone"
          description="One of your verified zones."
          data={[...zones]}
          value={zone}
          onChange={(chosen) => setZone(chosen ?? zone)}
          allowDeselect={false}
          searchable={zones.length > 10}
        />
        <TextInput
          label="Name in the zone"
          description="Such as www or blog; @ for the zone itself."
          data-autofocus
          value={label}
          onChange={(event) => setLabel(event.currentTarget.value)}
          error={problem('host')}
          autoCapitalize="none"
          spellCheck={false}
        />
        <Text size="sm">
          The site will be served at <b>{host}</b>, and svc creates the DNS records. If the name has other records,
          nothing changes, and svc lists them. See the{' '}
          <Anchor component={Link} to={`/dns/${zone}`} underline="always" inherit>
            records of {zone}
          </Anchor>
          .
        </Text>
        <FormActions action="Add the domain" isPending={isPending} error={error} onCancel={onClose} />
      </Stack>
    </form>
  )
}
