import { Button, PasswordInput, Stack } from '@mantine/core'
import { useState } from 'react'
import type { TextProps } from '../../parts/use-submit.js'
import classes from './messages.module.css'
import { newSigningKey } from './new-signing-key.js'

interface Props extends TextProps {
  readonly label: string
  readonly description: string
  readonly required?: boolean
  readonly onGenerate: (key: string) => void
}

/** The signing key of a phone: typed as the app shows it, or a new one for the user to enter there. */
export function SigningKeyInput({ onGenerate, ...text }: Props) {
  const [isVisible, setVisible] = useState(false)
  return (
    <Stack gap="xs" align="flex-start">
      <PasswordInput
        {...text}
        w="100%"
        autoComplete="off"
        spellCheck={false}
        classNames={{ innerInput: classes['typed'] }}
        visible={isVisible}
        onVisibilityChange={setVisible}
        visibilityToggleButtonProps={{ 'aria-label': isVisible ? 'Hide the signing key' : 'Show the signing key' }}
      />
      <Button
        size="compact-sm"
        variant="subtle"
        onClick={() => {
          onGenerate(newSigningKey())
          setVisible(true)
        }}
      >
        Generate a signing key
      </Button>
    </Stack>
  )
}
