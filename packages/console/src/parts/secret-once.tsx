import { Alert, Button, Code, Group, Stack, Text, type MantineSize } from '@mantine/core'
import { IconCheck, IconCopy, IconKey } from '@tabler/icons-react'
import { useState, type ReactNode } from 'react'
import { CopyButton } from './copy-button.js'
import { FormModal } from './form-dialog.js'

interface Frame {
  readonly title: string
  readonly size: MantineSize
}

interface Props<Secret> extends Frame {
  readonly opened: boolean
  readonly onClose: () => void
  /** The frame while it shows the secret, if it is another one. */
  readonly shown?: (secret: Secret) => Frame
  /** The form that creates the secret. */
  readonly create: (onCreated: (secret: Secret) => void) => ReactNode
  /** A `SecretOnce`, and how to use it. */
  readonly children: (secret: Secret) => ReactNode
}

/**
 * A dialog that creates a secret, and shows it once. While it does, only its own button closes it: anything else could lose the only
 * view.
 */
export function SecretOnceDialog<Secret extends object>(props: Props<Secret>) {
  const { opened, onClose, title, size, shown, create, children } = props
  const [secret, setSecret] = useState<Secret>()
  // The back button closes the dialog too, and an answer may arrive after that: the secret must not stay.
  if (!opened && secret !== undefined) setSecret(undefined)
  const isCloseable = secret === undefined
  return (
    <FormModal
      opened={opened}
      onClose={onClose}
      title={title}
      size={size}
      {...(secret && shown?.(secret))}
      closeOnClickOutside={isCloseable}
      closeOnEscape={isCloseable}
      withCloseButton={isCloseable}
    >
      {secret === undefined ? (
        create(setSecret)
      ) : (
        <Stack>
          {children(secret)}
          <CloseButton onClose={onClose}>Done</CloseButton>
        </Stack>
      )}
    </FormModal>
  )
}

/** The only button at the end of a dialog. */
export function CloseButton({ onClose, children }: { readonly onClose: () => void; readonly children: ReactNode }) {
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={onClose}>
        {children}
      </Button>
    </Group>
  )
}

/** A secret that the server shows only once; in a `SecretOnceDialog`. @param what names it: "key" */
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
