import { Center, Paper, Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'

/** A page for visitors who are not signed in. */
export function DoorPage({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Center mih="100dvh" p="md" component="main">
      <Paper withBorder p={{ base: 'lg', xs: 'xl' }} w="100%" maw={400} radius="lg">
        <Stack>
          <Title order={1} size="h3">
            {title}
          </Title>
          {children}
        </Stack>
      </Paper>
    </Center>
  )
}
