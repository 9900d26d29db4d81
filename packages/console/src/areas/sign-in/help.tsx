import { Accordion, Stack } from '@mantine/core'
import type { ReactNode } from 'react'

/** A question below a form, whose answer opens at a press. */
export function Help({ question, children }: { readonly question: string; readonly children: ReactNode }) {
  return (
    <Accordion
      chevronPosition="left"
      chevronSize={16}
      chevronIconSize={16}
      styles={{
        item: { border: 'none' },
        control: { paddingInline: 0 },
        label: { paddingBlock: 4, fontSize: 'var(--mantine-font-size-sm)' },
        content: { paddingInline: 0 },
      }}
    >
      <Accordion.Item value="help">
        <Accordion.Control>{question}</Accordion.Control>
        <Accordion.Panel>
          <Stack gap="xs">{children}</Stack>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  )
}
