import { PasswordInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { TextProps } from './use-submit.js'

interface Props extends TextProps {
  readonly label: string
  readonly description: string | undefined
}

/** The input of a password that the user chooses, with a button that shows it. */
export function NewPasswordInput(props: Props) {
  const [isVisible, { toggle }] = useDisclosure(false)
  return (
    <PasswordInput
      {...props}
      required
      autoComplete="new-password"
      visible={isVisible}
      onVisibilityChange={toggle}
      visibilityToggleButtonProps={{ 'aria-label': isVisible ? 'Hide the password' : 'Show the password', tabIndex: 0 }}
    />
  )
}
