import { ActionIcon, Alert, Button, Code, CopyButton as MantineCopyButton, Group, Text, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy, IconKey } from '@tabler/icons-react'

/** Copies a text. @param what names the text in the label: "Copy the nameserver" */
export function CopyIcon({ value, what }: { readonly value: string; readonly what: string }) {
  return (
    <MantineCopyButton value={value} timeout={2_000}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : `Copy ${what}`}>
          <ActionIcon variant="subtle" color={copied ? 'teal' : 'gray'} onClick={copy} aria-label={`Copy ${what}`}>
            {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
          </ActionIcon>
        </Tooltip>
      )}
    </MantineCopyButton>
  )
}

/** A short text that the user needs elsewhere, such as a nameserver, with its copy button. */
export function CopyText({ value, what }: { readonly value: string; readonly what: string }) {
  return (
    <Group gap={4} wrap="nowrap" align="flex-start">
      {/* Lines as high as the button, less the padding: both are centered on the first line. */}
      <Code lh="24px" style={{ overflowWrap: 'anywhere' }}>
        {value}
      </Code>
      <CopyIcon value={value} what={what} />
    </Group>
  )
}

/** A secret that the server shows only once. @param what names it: "token" */
export function SecretOnce({ value, what }: { readonly value: string; readonly what: string }) {
  return (
    <Alert
      icon={<IconKey size={18} />}
      color="yellow"
      title={`Copy the ${what} now`}
      // Yellow text on light yellow has a contrast below 4.5.
      styles={{ title: { color: 'var(--mantine-color-text)' } }}
    >
      <Text size="sm" mb="xs">
        It is shown only once. If you lose it, revoke it and create another one.
      </Text>
      <Code block data-secret style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {value}
      </Code>
      <MantineCopyButton value={value} timeout={2_000}>
        {({ copied, copy }) => (
          <Button
            mt="xs"
            size="xs"
            onClick={copy}
            leftSection={copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
          >
            {copied ? 'Copied' : `Copy the ${what}`}
          </Button>
        )}
      </MantineCopyButton>
    </Alert>
  )
}
