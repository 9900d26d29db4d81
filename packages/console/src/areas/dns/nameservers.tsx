import { Alert, Group } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { isPublicName } from '@svc/contract'
import { CopyText } from '../../parts/copy.js'

interface NamesProps {
  readonly names: readonly string[]
}

/** The nameservers of this server, to copy. */
export const Names = ({ names }: NamesProps) => (
  <Group gap="lg">
    {names.map((name) => (
      <CopyText key={name} value={name} what={name} />
    ))}
  </Group>
)

/** A warning if no registrar can set the nameservers. */
export function NotPublic({ names }: NamesProps) {
  return names.every(isPublicName) ? null : (
    <Alert color="orange" icon={<IconAlertTriangle size={18} />} title="No registrar accepts these names yet" mt="xs">
      They do not exist in the public DNS. The operator of this server must first set SVC_NAMESERVERS to at least two
      public names, then restart svc.
    </Alert>
  )
}
