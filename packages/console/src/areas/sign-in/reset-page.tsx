import { Button } from '@mantine/core'
import { consoleAreas } from '@svc/contract'
import { useState } from 'react'
import { consolePath } from '../../parts/api/base.js'
import { client } from '../../parts/api/client.js'
import { NewPasswordInput } from '../../parts/new-password-input.js'
import { fieldOf } from '../../parts/schema.js'
import { SubmitForm } from '../../parts/submit-form.js'
import { Note } from '../../parts/text.js'
import { useSubmit } from '../../parts/use-submit.js'
import { DoorPage } from './door-page.js'
import { resetToken } from './reset-link.js'

const { reset } = consoleAreas.session

/** Sets a new password with the token of a link. */
export function ResetPage() {
  const [isDone, setIsDone] = useState(false)
  if (resetToken === '')
    return (
      <DoorPage title="The link is incomplete">
        <Note>Open the link in the e-mail again, or copy it whole. A link works once, for 30 minutes.</Note>
        <ToSignIn />
      </DoorPage>
    )
  if (isDone)
    return (
      <DoorPage title="Your password is changed">
        <Note>All browsers are signed out. Sign in with the new password.</Note>
        <ToSignIn />
      </DoorPage>
    )
  return (
    <DoorPage title="Set a new password">
      <ResetForm onDone={() => setIsDone(true)} />
    </DoorPage>
  )
}

function ResetForm({ onDone }: { readonly onDone: () => void }) {
  const form = useSubmit({
    op: reset,
    initial: { password: '' },
    fields: ['password'],
    input: ({ password }) => ({ password, token: resetToken }),
    send: (input) => client.session.reset(input),
    onDone,
  })
  const buttons = (
    <>
      <Button type="submit" loading={form.isPending}>
        Set the password
      </Button>
      {form.error !== undefined && <ToSignIn />}
    </>
  )
  return (
    <SubmitForm form={form} buttons={buttons} errorTitle="The password is not changed">
      <NewPasswordInput
        {...form.text('password')}
        label="New password"
        description={fieldOf(reset, 'password').description}
      />
    </SubmitForm>
  )
}

/** Loads the console anew: a session of this browser has ended, or belongs to another account. */
function ToSignIn() {
  return (
    <Button component="a" href={`${consolePath}/`} variant="default">
      Go to the sign-in
    </Button>
  )
}
