import { deletedAtOnceMax } from '@svc/contract'
import { changeAnswer } from '../../parts/api/change-answer.js'
import { keepaliveClient } from '../../parts/api/client.js'
import { queryClient } from '../../parts/api/query-client.js'
import { removeRows } from '../../parts/removal/removal.js'
import { without, type Loaded, type Message } from './loaded-messages.js'
import { messagesQuery } from './queries.js'

/** The list of messages among those that hide deleted rows. */
export const messageList = 'messages'

/** Deletes messages, with an offer to undo it. */
export const deleteMessages = (messages: readonly Message[]): Promise<void> =>
  removeRows({
    list: messageList,
    noun: 'message',
    ids: messages.map(({ id }) => id),
    partSize: deletedAtOnceMax,
    send: (ids) => keepaliveClient.sms.messagesDelete({ ids: [...ids] }),
    drop: (ids) => changeAnswer<Loaded>(messagesQuery.queryKey, (loaded) => without(loaded, ids)),
    reload: () => void queryClient.invalidateQueries(messagesQuery),
  })
