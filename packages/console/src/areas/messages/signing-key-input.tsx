import { Button, PasswordInput, Stack } from '@mantine/core'
import { areas } from '@svc/contract'
import { useState } from 'react'
import { fieldOf } from '../../parts/schema.js'
import classes from './messages.module.css'
import { newSigningKey } from './new-signing-key.js'

interface Props {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly problem: string | undefined
  readonly label: string
  readonly description: string
  readonly required?: boolean
}

/** The signing key of a phone: typed as the app shows it, or a new one for the user to enter there. */
export function SigningKeyInput({ value, onChange, problem, label, description, required = false }: Props) {
  const [isVisible, setVisible] = useState(false)
  return (
    <Stack gap="xs" align="flex-start">
      <PasswordInput
        w="100%"
        label={label}
        description={description}
        required={required}
        autoComplete="off"
        spellCheck={false}
        classNames={{ innerInput: classes['typed'] }}
        maxLength={fieldOf(areas.sms.keyCreate, 'signing_key').maxLength}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        visible={isVisible}
        onVisibilityChange={setVisible}
        visibilityToggleButtonProps={{ 'aria-label': isVisible ? 'Hide the signing key' : 'Show the signing key' }}
        error={problem}
      />
      <Button
        size="compact-sm"
        variant="subtle"
        onClick={() => {
          onChange(newSigningKey())
          setVisible(true)
        }}
      >
        Generate a signing key
      </Button>
    </Stack>
  )
}
