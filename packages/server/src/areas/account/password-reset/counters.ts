import { wideNetworkOf } from '../../../shared/network-of.js'
import { digest } from '../secrets.js'
import { sourceOf, type Counter } from '../sign-in/failures.js'

/** Limits of requests for a link, in the table of failed sign-ins: each request beyond the free ones makes the next one wait. */

const counter = (key: string, free: number): Counter => ({
  key: digest(`reset ${key}`),
  email: null,
  free,
  isForgiven: true,
  isShared: true,
})

/** An office has one address. */
export const countersOfNetwork = (ip: string): Counter[] => [
  counter(`network\n${sourceOf(ip)}`, 10),
  counter(`wide network\n${wideNetworkOf(ip)}`, 50),
]

/** @param email in lower case, with an account or without */
export const countersOfAddress = (email: string): Counter[] => [counter(`email\n${email}`, 3)]
