import { ActionIcon, Code, Group, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { CopyButton } from './copy-button.js'

/** Copies a text. @param what names the text in the label: "Copy the nameserver" */
export function CopyIcon({ value, what }: { readonly value: string; readonly what: string }) {
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : `Copy ${what}`}>
          <ActionIcon variant="subtle" color={copied ? 'teal' : 'gray'} onClick={copy} aria-label={`Copy ${what}`}>
            {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
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
