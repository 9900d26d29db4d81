import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { areas } from '@svc/contract'
import { useState } from 'react'
import { client } from '../../app/client.js'
import { ErrorNote } from '../../parts/errors.js'
import { notifyDone } from '../../parts/notify.js'
import { fieldOf } from '../../parts/schema.js'
import { useNavigateHere } from '../../parts/use-navigate-here.js'
import { useSubmit } from '../../parts/use-submit.js'
import { zonesChanged } from './queries.js'

interface Props {
  readonly opened: boolean
  readonly onClose: () => void
}

/** Claims a zone, then opens its page, which shows the next step. */
export function ClaimZone({ opened, onClose }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title="Claim a zone">
      <ClaimForm onCancel={onClose} />
    </Modal>
  )
}

function ClaimForm({ onCancel }: { readonly onCancel: () => void }) {
  const [zone, setZone] = useState('')
  const navigate = useNavigateHere()
  const { submit, isPending, problem, error } = useSubmit({
    fields: ['zone'],
    input: { zone: zone.trim() },
    send: (input: { zone: string }) => client.dns.zoneClaim(input),
    onDone: async (claim) => {
      await navigate(`/dns/${claim.zone}`)
      if (claim.status === 'verified') notifyDone(`${claim.zone} is yours: add its records.`)
      await zonesChanged()
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
        <TextInput
          label="Zone"
          description={`${fieldOf(areas.dns.zoneClaim, 'zone').description ?? ''}. Not a subdomain: www.example.com is a record of example.com.`}
          placeholder="example.com"
          required
          data-autofocus
          spellCheck={false}
          autoCapitalize="none"
          autoComplete="off"
          value={zone}
          onChange={(event) => setZone(event.currentTarget.value)}
          error={problem('zone')}
        />
        {error && <ErrorNote error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending} disabled={zone.trim() === ''}>
            Claim the zone
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
