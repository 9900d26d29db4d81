export {
  createCaller,
  type Answer,
  type Caller,
  type CallOptions,
  type ClientOptions,
  type Door,
  type SuccessEnvelope,
} from './call.js'
export { createClient, type CallInput, type Client, type ConsoleClient, type Result } from './client.js'
export { InputError, NoAnswerError, SvcError, type FailureEnvelope } from './errors.js'
export { rawTypeOf, type AnyInput, type Bytes, type NamedFile } from './request.js'
export { readEvents, type EventPosition, type ServerEvent } from './server-events.js'
