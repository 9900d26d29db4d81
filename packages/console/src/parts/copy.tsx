import { ActionIcon, Alert, Button, Code, Group, Text, Tooltip, type ModalProps } from '@mantine/core'
import { IconCheck, IconCopy, IconKey } from '@tabler/icons-react'
import { useEffect, useState, type ReactNode } from 'react'
import { copyText } from './copy-text.js'
import { FormModal } from './form-dialog.js'
import { notifyError } from './notify.js'

/** How long a button says that it has copied, in milliseconds. */
const copiedMs = 2_000

interface CopyProps {
  readonly value: string
  readonly children: (state: { readonly copied: boolean; readonly copy: () => void }) => ReactNode
}

/** A button that copies a text, and shows for two seconds that it did. */
export function CopyButton({ value, children }: CopyProps) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return undefined
    const timer = setTimeout(() => setCopied(false), copiedMs)
    return () => clearTimeout(timer)
  }, [copied])
  return children({ copied, copy: () => void copyText(value).then(() => setCopied(true), notifyError) })
}

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

/** A dialog with a form that may then show a `SecretOnce`. While it does, only its own button closes it: anything else could lose the only view. */
export function SecretModal({ hasSecret, ...props }: ModalProps & { readonly hasSecret: boolean }) {
  return (
    <FormModal {...props} closeOnClickOutside={!hasSecret} closeOnEscape={!hasSecret} withCloseButton={!hasSecret} />
  )
}

/** A secret that the server shows only once; in a `SecretModal`. @param what names it: "key" */
export function SecretOnce({ value, what }: { readonly value: string; readonly what: string }) {
  return (
    <Alert icon={<IconKey size={18} />} color="yellow" title={`Copy the ${what} now`}>
      <Text size="sm" mb="xs">
        It is shown only once. If you lose it, replace it with a new one.
      </Text>
      <Code block data-secret style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {value}
      </Code>
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <Button
            mt="xs"
            size="xs"
            // The form that had the focus is gone.
            autoFocus
            onClick={copy}
            leftSection={copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
          >
            {copied ? 'Copied' : `Copy the ${what}`}
          </Button>
        )}
      </CopyButton>
    </Alert>
  )
}
