import { Group, List, SimpleGrid, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { CopyText } from '../copy.js'
import { Hint } from '../text.js'
import { statusMeaning, statusName } from './statuses.js'

/** Facts side by side, below each other on narrow screens. */
export function Facts({ children }: { readonly children: ReactNode }) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" verticalSpacing="md">
      {children}
    </SimpleGrid>
  )
}

/** What a registry may leave out. */
export const notPublished = (
  <Text size="sm" c="dimmed" component="span">
    not published
  </Text>
)

export function Nameservers({ names }: { readonly names: readonly string[] }) {
  if (names.length === 0) return notPublished
  return (
    <Stack gap={2}>
      {names.map((name) => (
        <CopyText key={name} value={name} what={name} />
      ))}
    </Stack>
  )
}

/** Statuses with what they mean. */
export function Statuses({ statuses }: { readonly statuses: readonly string[] }) {
  if (statuses.length === 0) return notPublished
  return (
    <List size="sm" spacing={4} listStyleType="none">
      {statuses.map((status) => (
        <List.Item key={status}>
          {statusName(status)}
          <Hint>{statusMeaning(status)}</Hint>
        </List.Item>
      ))}
    </List>
  )
}

const dnssecText = { true: 'Signed', false: 'Not signed' } as const

/** Whether the delegation is signed. */
export function Dnssec({ isSigned }: { readonly isSigned: boolean | null }) {
  return isSigned === null ? notPublished : <Group gap={4}>{dnssecText[`${isSigned}`]}</Group>
}
