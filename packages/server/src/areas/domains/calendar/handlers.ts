import type { Areas } from '@svc/contract'
import type { Handlers } from '../../../http/handler.js'
import { timestamp } from '../../../shared/timestamp.js'
import type { CalendarStore } from './calendar-store.js'

type CalendarHandlers = Pick<Handlers<Areas['domains']>, 'calendarGet' | 'calendarCreate' | 'calendarDelete'>

/** The address of the calendar. @param baseUrl the public address of the API, without a slash at the end */
export const calendarHandlers = (calendars: CalendarStore, baseUrl: string): CalendarHandlers => ({
  async calendarGet(_input, { account }) {
    const createdAt = await calendars.createdAt(account)
    return { created_at: createdAt === undefined ? null : timestamp(createdAt) }
  },

  async calendarCreate(_input, { account }) {
    const { key, createdAt } = await calendars.create(account)
    return { url: `${baseUrl}/calendar/${key}.ics`, created_at: timestamp(createdAt) }
  },

  calendarDelete: async (_input, { account }) => ({ deleted: await calendars.remove(account) }),
})
