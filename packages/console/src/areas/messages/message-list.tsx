import { Text } from '@mantine/core'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useEffectEvent, useRef } from 'react'
import { Link, useSearchParams } from 'react-router'
import { SelectBox } from '../../parts/selection/select-box.js'
import type { Selection } from '../../parts/selection/use-selection.js'
import { TimeAgo } from '../../parts/time.js'
import { useRowGuards } from '../../parts/use-row-guards.js'
import { useTopInPage } from '../../parts/use-top-in-page.js'
import { CodeButton } from './code-button.js'
import type { Message } from './loaded-messages.js'
import { oneTimeCode } from './one-time-code.js'
import classes from './messages.module.css'

const rowHeight = 76

interface Props {
  readonly messages: readonly Message[]
  readonly selection: Selection<Message>
  /** Called when the last message comes into view; undefined if there is nothing to load. */
  readonly onEnd: (() => void) | undefined
}

/** The messages as one list. It scrolls with the page, and only the messages in view are in the page. */
export function MessageList({ messages, selection, onEnd }: Props) {
  const list = useRef<HTMLUListElement>(null)
  const top = useTopInPage(list)
  const virtual = useWindowVirtualizer({
    count: messages.length,
    estimateSize: () => rowHeight,
    getItemKey: (index) => messages[index]?.id ?? index,
    overscan: 8,
    scrollMargin: top,
  })
  const { order } = selection
  useEffect(() => {
    order.current = messages
  }, [order, messages])
  const guards = useRowGuards({ sorted: messages, rowKey: idOf, view: list })
  const items = virtual.getVirtualItems()
  const isAtEnd = items.at(-1)?.index === messages.length - 1
  // Not at each new function: a page that brings no row into view must not load the next one.
  const reachEnd = useEffectEvent(() => onEnd?.())
  useEffect(() => {
    if (isAtEnd) reachEnd()
  }, [isAtEnd, messages.length])
  if (messages.length === 0) return null
  return (
    <ul
      ref={list}
      className={classes['list']}
      aria-label="Messages"
      style={{ height: virtual.getTotalSize() }}
      {...guards}
    >
      {items.map(({ index, key, start }) => {
        const message = messages[index]
        return (
          message && (
            <li
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              tabIndex={-1}
              aria-setsize={messages.length}
              aria-posinset={index + 1}
              className={classes['item']}
              style={{ transform: `translateY(${start - top}px)` }}
            >
              <div className={classes['row']} data-selected={selection.ids.has(message.id) || undefined}>
                <SelectBox row={message} title={`the message from ${message.from}`} selection={selection} />
                <MessageRow message={message} />
              </div>
            </li>
          )
        )
      })}
    </ul>
  )
}

const idOf = ({ id }: Message): number => id

function MessageRow({ message: { id, from, body, device, received_at } }: { readonly message: Message }) {
  const [parameters] = useSearchParams()
  const code = oneTimeCode(body)
  const details = new URLSearchParams(parameters)
  details.set('message', String(id))
  return (
    <>
      <Link to={`?${details.toString()}`} preventScrollReset className={classes['open']}>
        <span className={classes['head']}>
          <Text component="span" size="sm" fw={600} truncate>
            {from}
          </Text>
          <Text component="span" size="xs" c="dimmed" className={classes['when']}>
            {device !== null && <span className={classes['device']}>{device} · </span>}
            <TimeAgo at={received_at} />
          </Text>
        </span>
        <Text component="span" size="sm" lineClamp={2} className={classes['text']} mod={{ code: code !== undefined }}>
          {body === '' ? '(no text)' : body}
        </Text>
      </Link>
      {code !== undefined && (
        <div className={classes['copy']}>
          <CodeButton code={code} />
        </div>
      )}
    </>
  )
}
