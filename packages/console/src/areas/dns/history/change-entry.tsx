import { Anchor, Button, Code, Group, Menu, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconArrowBackUp, IconHistory, IconRestore } from '@tabler/icons-react'
import { memo } from 'react'
import { Link } from 'react-router'
import { CopyIcon } from '../../../parts/copy.js'
import { formatRelative, formatTime } from '../../../parts/format.js'
import { rowOpener } from '../../../parts/key-targets.js'
import { RowMenu } from '../../../parts/row-menu.js'
import { isEmpty } from './diff.js'
import { DifferenceView } from './difference-view.js'
import classes from './history.module.css'
import type { Change } from './queries.js'
import { actionText } from './texts.js'

/** What can be done with a change. */
export interface ChangeActs {
  readonly takeBack: (serial: number) => void
  readonly returnTo: (serial: number) => void
}

interface Props {
  readonly zone: string
  readonly change: Change
  /** From 0, in the list. */
  readonly index: number
  /** Whether the zone is as this change left it. */
  readonly isLatest: boolean
  readonly isNarrow: boolean
  /** Whether its token exists; undefined if unknown. */
  readonly hasToken: boolean | undefined
  readonly acts: ChangeActs
}

function PlainEntry({ zone, change, index, isLatest, isNarrow, hasToken, acts }: Props) {
  const { serial, at, action } = change
  const [isOpen, { toggle }] = useDisclosure(false)
  const isRevertible = !isEmpty(change)
  // Without the right to the zone, it had no records of this account.
  const wasHeld = action === undefined || action === 'claim'
  const about = `the change of ${formatTime(at)}`
  const takeBack = { onClick: () => acts.takeBack(serial), 'aria-label': `Take this back: ${about}` }
  const text = actionText(change)
  return (
    <li data-index={index} tabIndex={-1} className={classes['change']}>
      <div className={classes['head']}>
        <Text size="sm" component="div" className={classes['who']}>
          <Who {...change.actor} hasToken={hasToken} />
          <Text span inherit c="dimmed">
            {' · '}
            <time dateTime={at}>
              {formatRelative(at)}, {formatTime(at)}
            </time>
          </Text>
        </Text>
        <div className={classes['acts']}>
          <Button
            {...rowOpener}
            variant="subtle"
            color="gray"
            size="compact-sm"
            aria-expanded={isOpen}
            aria-label={`Details: ${about}`}
            onClick={toggle}
          >
            Details
          </Button>
          {isRevertible && !isNarrow && (
            <Button variant="default" size="compact-sm" {...takeBack}>
              Take this back
            </Button>
          )}
          {(wasHeld || (isRevertible && isNarrow)) && (
            <RowMenu of={about}>
              {isRevertible && isNarrow && (
                <Menu.Item leftSection={<IconArrowBackUp size={16} />} onClick={takeBack.onClick}>
                  Take this back
                </Menu.Item>
              )}
              {wasHeld && (
                <Menu.Item
                  component={Link}
                  to={`/dns/${zone}/history/${String(serial)}`}
                  leftSection={<IconHistory size={16} />}
                >
                  Show the zone as it was
                </Menu.Item>
              )}
              {wasHeld && !isLatest && (
                <Menu.Item leftSection={<IconRestore size={16} />} onClick={() => acts.returnTo(serial)}>
                  Return the zone to this
                </Menu.Item>
              )}
            </RowMenu>
          )}
        </div>
      </div>
      {isOpen && <Details {...change} />}
      {text !== undefined && <Text size="sm">{text}</Text>}
      {isRevertible && <DifferenceView difference={change} />}
    </li>
  )
}

/** Not rendered again when others are loaded. */
export const ChangeEntry = memo(PlainEntry)

function Who({ kind, name, id, hasToken }: Change['actor'] & Pick<Props, 'hasToken'>) {
  switch (kind) {
    case 'token':
      return (
        <>
          API key{' '}
          {hasToken === false ? (
            <b>{name}</b>
          ) : (
            <Anchor component={Link} to={`/account/keys?key=${String(id)}`} inherit fw={600} underline="always">
              {name}
            </Anchor>
          )}
          {hasToken === false && ' (revoked)'}
        </>
      )
    case 'session':
      return <b>Console</b>
    case 'operator':
      return (
        <>
          <b>Operator</b>: <Code>{name}</Code>
        </>
      )
    case 'protocol':
      return (
        <>
          <b>Protocol</b>: {name}
        </>
      )
  }
}

function Details({ serial, request_id: requestId }: Change) {
  return (
    <Group gap="lg">
      <Text size="sm">
        Serial <Code>{serial}</Code>
      </Text>
      {requestId === null ? (
        <Text size="sm">Made without a request.</Text>
      ) : (
        <Group gap={4} wrap="nowrap">
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            Request <Code>{requestId}</Code>
          </Text>
          <CopyIcon value={requestId} what="the request id" />
        </Group>
      )}
    </Group>
  )
}
