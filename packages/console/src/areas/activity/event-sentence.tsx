import { Anchor } from '@mantine/core'
import { Fragment } from 'react'
import { Link } from 'react-router'
import { sentenceOf } from './event-texts.js'
import { actorText, thingText } from './event-words.js'
import { actorPath, thingPath } from './links.js'
import type { AccountEvent } from './queries.js'
import { who } from './sentence.js'

interface Props {
  readonly event: Omit<AccountEvent, 'network' | 'request_id'>
}

/** What an event says, with links to who did it and to the thing. */
export function EventSentence({ event }: Props) {
  return sentenceOf(event).map((part, index) => {
    // A sentence has each place once, and its texts do not move.
    const key = String(index)
    if (typeof part === 'string') return <Fragment key={key}>{part}</Fragment>
    const isActor = part === who
    return (
      <Named
        key={key}
        path={isActor ? actorPath(event.actor) : thingPath(event)}
        name={isActor ? actorText(event.actor) : thingText(event)}
      />
    )
  })
}

function Named({ path, name }: { readonly path: string | undefined; readonly name: string }) {
  if (path === undefined) return <strong style={{ fontWeight: 600 }}>{name}</strong>
  return (
    <Anchor component={Link} to={path} inherit underline="always">
      {name}
    </Anchor>
  )
}
