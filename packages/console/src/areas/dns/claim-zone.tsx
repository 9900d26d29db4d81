import { TextInput } from '@mantine/core'
import { useSearchParams } from 'react-router'
import { client } from '../../parts/api/client.js'
import { FormModal } from '../../parts/form-dialog.js'
import { notifyDone } from '../../parts/notify.js'
import { SubmitForm } from '../../parts/submit-form.js'
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
  const navigate = useNavigateHere()
  const form = useSubmit({
    initial: { zone: parameters.get('claim') ?? '' },
    send: ({ zone }) => client.dns.zoneClaim({ zone: zone.trim() }),
    onDone: async (claim) => {
      await navigate(`/dns/${claim.zone}`)
      if (claim.status === 'verified') notifyDone(`${claim.zone} is yours: add its records.`)
      await zonesChanged()
    },
  })
  return (
    <SubmitForm form={form} action="Claim the zone" disabled={form.values.zone.trim() === ''} onCancel={onCancel}>
      <TextInput
        {...form.text('zone')}
        label="Zone"
        description="Your domain, such as example.com. Names below it, such as www.example.com, are its records."
        placeholder="example.com"
        required
        data-autofocus
        spellCheck={false}
        autoCapitalize="none"
        autoComplete="off"
      />
    </SubmitForm>
  )
}
