import { eventActions, eventAreas } from '@svc/contract/events'
import { areaLabel } from './event-words.js'

/** Areas and actions that a webhook can get, as the choices of a field. */

const actionWords = (action: string): string => action.replaceAll('_', ' ')

/** `dns` is "DNS", `dns.zone_change` is "DNS: zone change". */
export function chosenText(name: string): string {
  const [area = '', action] = name.split('.')
  return action === undefined ? areaLabel(area) : `${areaLabel(area)}: ${actionWords(action)}`
}

const choiceOf = (value: string) => ({ value, label: chosenText(value) })

/** First the areas as a whole, then the actions of each. */
export const eventChoices = [
  { group: 'All events of an area', items: eventAreas.map(choiceOf) },
  ...eventAreas.map((area) => ({
    group: areaLabel(area),
    items: eventActions[area].map((action) => choiceOf(`${area}.${action}`)),
  })),
]
