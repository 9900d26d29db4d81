import { Button, TextInput } from '@mantine/core'
import { consoleAreas } from '@svc/contract'
import { useState } from 'react'
import { client } from '../../parts/api/client.js'
import { SubmitForm } from '../../parts/submit-form.js'
import { Note } from '../../parts/text.js'
import { useSubmit } from '../../parts/use-submit.js'
import { DoorPage } from './door-page.js'

/** Requests an e-mail with a link that resets the password. @param onBack shows the sign-in */
export function ForgottenPage({ onBack }: { readonly onBack: () => void }) {
  const [isSent, setIsSent] = useState(false)
  const back = (
    <Button variant="default" onClick={onBack}>
      Back to the sign-in
    </Button>
  )
  if (isSent)
    return (
      <DoorPage title="Look into your mailbox">
        <Note>
          If there is an account with this address, an e-mail with a link is on its way. The link works once, for 30
          minutes. Look into the folder for spam, too.
        </Note>
        {back}
      </DoorPage>
    )
  return (
    <DoorPage title="Reset your password">
      <Note>You get an e-mail with a link, with which you set a new password.</Note>
      <RequestForm onSent={() => setIsSent(true)} />
      {back}
    </DoorPage>
  )
}

function RequestForm({ onSent }: { readonly onSent: () => void }) {
  const form = useSubmit({
    op: consoleAreas.session.resetRequest,
    initial: { email: '' },
    send: (input) => client.session.resetRequest(input),
    onDone: onSent,
  })
  const button = (
    <Button type="submit" loading={form.isPending}>
      Send the e-mail
    </Button>
  )
  return (
    <SubmitForm form={form} buttons={button}>
      <TextInput {...form.text('email')} label="Email" type="email" autoComplete="username" required autoFocus />
    </SubmitForm>
  )
}
