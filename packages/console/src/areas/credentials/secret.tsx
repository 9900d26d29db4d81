import { Badge, Code, Group, Text, Tooltip } from '@mantine/core'
import { IconEye, IconEyeOff } from '@tabler/icons-react'
import { CopyIcon } from '../../parts/copy.js'
import { IconAction } from '../../parts/icon-action.js'
import classes from './credentials.module.css'
import type { Credential } from './queries.js'

interface Props {
  readonly credential: Credential
  readonly isShown: boolean
  readonly onToggle: () => void
}

/** The secret of a credential. It is in the page only while it is shown; it can be copied without that. */
export function Secret({ credential, isShown, onToggle }: Props) {
  const { secret } = credential
  const name = nameOf(credential)
  if (secret === null)
    return (
      <Tooltip label="The stored bytes are damaged: replace the secret, or restore the database from a backup.">
        <Badge color="red" variant="light" tt="none" tabIndex={0}>
          damaged
        </Badge>
      </Tooltip>
    )
  const label = `${isShown ? 'Hide' : 'Show'} the secret of ${name}`
  return (
    <Group gap={4} wrap="nowrap" align="flex-start">
      {isShown ? (
        <Code block className={classes['secret']} tabIndex={0} aria-label={`Secret of ${name}`} data-secret>
          {secret}
        </Code>
      ) : (
        <Text className={classes['hidden']} visibleFrom="sm" aria-hidden>
          ••••••••
        </Text>
      )}
      <IconAction
        icon={isShown ? IconEyeOff : IconEye}
        label={label}
        hint={isShown ? 'Hide' : 'Show for 30 seconds'}
        onClick={onToggle}
      />
      <CopyIcon value={secret} what={`the secret of ${name}`} />
    </Group>
  )
}

/** `registrar.example`, or `registrar.example (work)` with a label. */
export const nameOf = ({ platform, label }: Pick<Credential, 'platform' | 'label'>): string =>
  label === '' ? platform : `${platform} (${label})`
