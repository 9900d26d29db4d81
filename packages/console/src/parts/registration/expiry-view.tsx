import { Box, Group, Text } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck, IconClock, IconHelpCircle } from '@tabler/icons-react'
import { formatDate } from '../format.js'
import { expiryLevel, expiryText } from './expiry.js'

const marks = {
  expired: { icon: IconAlertTriangle, color: 'red' },
  urgent: { icon: IconAlertTriangle, color: 'red' },
  soon: { icon: IconClock, color: 'orange' },
  later: { icon: IconCircleCheck, color: 'teal' },
  unknown: { icon: IconHelpCircle, color: 'gray' },
} as const

interface Props {
  /** RFC 3339; null if unknown. */
  readonly at: string | null
  /** Instead of "Unknown". */
  readonly unknown?: string
}

/** An expiry date as words, with an icon in the color of its level, and the date below. */
export function Expiry({ at, unknown }: Props) {
  const level = expiryLevel(at)
  const { icon: Icon, color } = marks[level]
  const text = expiryText(at)
  return (
    <Group gap={8} wrap="nowrap" align="flex-start">
      <Box c={`${color}.7`} lh={0} mt={1}>
        <Icon size={18} aria-hidden />
      </Box>
      <div>
        <Text size="sm" fw={level === 'later' || level === 'unknown' ? 400 : 600}>
          {at === null ? (unknown ?? sentence(text)) : sentence(text)}
        </Text>
        {at !== null && (
          <Text size="xs" c="dimmed" component="time" dateTime={at}>
            {formatDate(at)}
          </Text>
        )}
      </div>
    </Group>
  )
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
