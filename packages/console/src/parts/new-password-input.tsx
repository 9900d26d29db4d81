import { PasswordInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { TextProps } from './use-submit.js'

interface Props extends TextProps {
  readonly label: string
  readonly description: string | undefined
  /** What the user chooses, in the label of the button. */
  readonly what?: string
}

/** The input of a password that the user chooses, with a button that shows it. */
export function NewPasswordInput({ what = 'password', ...props }: Props) {
  const [isVisible, { toggle }] = useDisclosure(false)
  return (
    <PasswordInput
      {...props}
      required
      autoComplete="new-password"
      visible={isVisible}
      onVisibilityChange={toggle}
      visibilityToggleButtonProps={{ 'aria-label': `${isVisible ? 'Hide' : 'Show'} the ${what}`, tabIndex: 0 }}
    />
  )
}
