import { Center, Stack, Text, ThemeIcon } from '@mantine/core'
import type { ComponentType, ReactNode } from 'react'
import { SectionTitle } from './text.js'

interface Props {
  readonly icon: ComponentType<{ readonly size?: number | string; readonly stroke?: number | string }>
  /** What there could be: "No zones yet". */
  readonly title: string
  /** What the thing is for, and what happens after the action: at most two sentences. */
  readonly children: ReactNode
  /** The button of the first step. */
  readonly action?: ReactNode
}

/** An empty list: it says what belongs here, and how to make the first one. */
export function EmptyState({ icon: Icon, title, children, action }: Props) {
  return (
    <Center py={48}>
      <Stack align="center" gap="sm" maw={460} ta="center">
        <ThemeIcon size={56} radius="xl" variant="light" aria-hidden>
          <Icon size={28} stroke={1.5} />
        </ThemeIcon>
        <SectionTitle>{title}</SectionTitle>
        <Text c="dimmed" size="sm" component="div">
          {children}
        </Text>
        {action}
      </Stack>
    </Center>
  )
}
