import { Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

interface Props {
  readonly children: ReactNode
}

/** The title of a section of a page. */
export const SectionTitle = ({ children }: Props) => (
  <Title order={2} size="h4">
    {children}
  </Title>
)

/** The title of a card. */
export const CardTitle = ({ children }: Props) => (
  <Title order={2} size="h5">
    {children}
  </Title>
)

/** Secondary text. */
export const Note = ({ children }: Props) => (
  <Text size="sm" c="dimmed">
    {children}
  </Text>
)

/** Secondary text below a name. */
export const Hint = ({ children }: Props) => (
  <Text size="xs" c="dimmed">
    {children}
  </Text>
)
