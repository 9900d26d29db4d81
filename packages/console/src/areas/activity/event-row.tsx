import { Anchor, Button, Group, Stack, Text, Tooltip } from '@mantine/core'
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { useId, useState } from 'react'
import { Link } from 'react-router'
import { formatRelative, formatTime } from '../../parts/format.js'
import { rowOpener } from '../../parts/key-targets.js'
import classes from './activity.module.css'
import { EventFields } from './event-fields.js'
import { EventSentence } from './event-sentence.js'
import { eventText, meansText } from './event-words.js'
import type { AccountEvent } from './queries.js'

interface Props {
  readonly event: AccountEvent
}

/** An event: a sentence, when, from where and in which request; its fields on demand. */
export function EventRow({ event }: Props) {
  const [isOpen, setOpen] = useState(false)
  const details = useId()
  const Chevron = isOpen ? IconChevronDown : IconChevronRight
  return (
    <>
      <Group justify="space-between" align="flex-start" gap="md" wrap="nowrap">
        <Text size="sm" style={{ overflowWrap: 'anywhere', minWidth: 0 }}>
          <EventSentence event={event} />
        </Text>
        <When at={event.at} />
      </Group>
      <Group gap="xs" justify="space-between" mt={2}>
        <Origin event={event} />
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          ml="auto"
          leftSection={<Chevron size={14} aria-hidden />}
          aria-expanded={isOpen}
          aria-controls={isOpen ? details : undefined}
          aria-label={`Details: ${eventText(event)}`}
          onClick={() => setOpen(!isOpen)}
          {...rowOpener}
        >
          Details
        </Button>
      </Group>
      {isOpen && <Details id={details} event={event} />}
    </>
  )
}

/** Relative to now; the exact time with the pointer or the focus on it. */
function When({ at }: { readonly at: string }) {
  return (
    <Tooltip label={formatTime(at)} events={{ hover: true, focus: true, touch: true }}>
      <Text component="time" dateTime={at} tabIndex={0} size="sm" c="dimmed" className={classes['when']}>
        {formatRelative(at)}
      </Text>
    </Tooltip>
  )
}

/** By what, from which network and in which request. */
function Origin({ event: { actor, network, request_id } }: Props) {
  const means = meansText(actor)
  return (
    <Text size="xs" c="dimmed" component="div" className={classes['origin']}>
      {means !== undefined && <span>{means}</span>}
      {network !== null && <span>from {network}</span>}
      {request_id !== null && (
        <span>
          request <span className={classes['request']}>{request_id}</span>
        </span>
      )}
    </Text>
  )
}

interface DetailsProps extends Props {
  readonly id: string
}

function Details({ id, event }: DetailsProps) {
  const { at, serial, object, actor, before, after } = event
  const filter = (name: string, value: string) => `?${new URLSearchParams({ [name]: value }).toString()}`
  return (
    <Stack id={id} gap={6} mt={6} mb="xs" align="flex-start">
      {(before !== null || after !== null) && <EventFields event={event} />}
      <Text size="xs">
        {[formatTime(at), at, serial !== undefined && `serial ${String(serial)}`].filter(Boolean).join(' · ')}
      </Text>
      <Group gap="md">
        {object !== '' && (
          <Anchor component={Link} to={filter('object', object)} size="xs">
            Only events of {object}
          </Anchor>
        )}
        {actor.id !== null && (
          <Anchor component={Link} to={filter('token', String(actor.id))} size="xs">
            Only what the API key {actor.name} did
          </Anchor>
        )}
      </Group>
    </Stack>
  )
}
