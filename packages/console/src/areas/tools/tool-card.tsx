import { Button, Card, Collapse, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconCode } from '@tabler/icons-react'
import { useId, type ReactNode } from 'react'
import { CopyText } from '../../parts/copy.js'
import { RequestCommand, type PageRequest } from '../../parts/requests.js'
import { Hint, SectionTitle } from '../../parts/text.js'

interface CardProps {
  /** Of the element, for links. */
  readonly id: string
  readonly title: string
  readonly actions?: ReactNode
  /** With the values that the card shows. */
  readonly requests: readonly PageRequest[]
  readonly children: ReactNode
}

/** A tool: its result, and the requests that give it. */
export function ToolCard({ id, title, actions, requests, children }: CardProps) {
  const [isOpen, { toggle }] = useDisclosure(false)
  const commands = useId()
  return (
    <Card withBorder id={id} component="section" aria-label={title}>
      <Stack>
        <Group justify="space-between">
          <SectionTitle>{title}</SectionTitle>
          <Group gap="xs">
            {actions}
            <Button
              size="compact-sm"
              variant="subtle"
              leftSection={<IconCode size={14} aria-hidden />}
              onClick={toggle}
              aria-expanded={isOpen}
              aria-controls={commands}
              aria-label={`curl for ${title}`}
            >
              curl
            </Button>
          </Group>
        </Group>
        {children}
        <Collapse expanded={isOpen} id={commands}>
          <Stack>
            {requests.map((request) => (
              <RequestCommand key={request.op.id} {...request} />
            ))}
          </Stack>
        </Collapse>
      </Stack>
    </Card>
  )
}

/** A result with its name and its copy button. */
export function ResultLine({ label, value, note }: { label: string; value: string; note?: ReactNode }) {
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start" justify="space-between">
      <Text size="sm" c="dimmed" miw={110}>
        {label}
      </Text>
      <Stack gap={0} align="flex-end">
        <CopyText value={value} what={label} />
        {note !== undefined && <Hint>{note}</Hint>}
      </Stack>
    </Group>
  )
}
