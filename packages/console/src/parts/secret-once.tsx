import { Alert, Button, Code, Text, type ModalProps } from '@mantine/core'
import { IconCheck, IconCopy, IconKey } from '@tabler/icons-react'
import { CopyButton } from './copy-button.js'
import { FormModal } from './form-dialog.js'

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
