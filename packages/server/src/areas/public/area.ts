import type { Area } from '../../http/area.js'
import { publicHandlers, type PublicPorts } from './handlers.js'

/** Utilities that need no account. */
export const publicArea = (ports: PublicPorts): Area<'public'> => ({ handlers: publicHandlers(ports) })
