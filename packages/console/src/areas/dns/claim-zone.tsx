import { Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { client } from '../../app/client.js'
import { FormActions } from '../../parts/form-actions.js'
import { FormModal } from '../../parts/form-dialog.js'
import { notifyDone } from '../../parts/notify.js'
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
    <FormModal opened={opened} onClose={onClose} title="Claim a zone">
      <ClaimForm onCancel={onClose} />
    </FormModal>
  )
}

function ClaimForm({ onCancel }: { readonly onCancel: () => void }) {
  // Links from other pages name the zone.
  const [parameters] = useSearchParams()
  const [zone, setZone] = useState(parameters.get('claim') ?? '')
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
          description="Your domain, such as example.com. Names below it, such as www.example.com, are its records."
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
        <FormActions
          action="Claim the zone"
          isPending={isPending}
          disabled={zone.trim() === ''}
          error={error}
          onCancel={onCancel}
        />
      </Stack>
    </form>
  )
}
