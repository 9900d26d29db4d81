import { useEffect, useLayoutEffect } from 'react'
import { NavigationType, ScrollRestoration, useLocation, useNavigationType } from 'react-router'
import { placeInHistory, places } from '../parts/places.js'

/** How long the page may take until it is as long as it was, in milliseconds. */
const patienceMs = 15_000
/** How long what is above the place may change its height from then on. */
const settlingMs = 2_000

/** What the user does who wants to be somewhere else. */
const moves = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const

/** The first page of a tab begins at its top, unless it is reloaded, or the tab goes back to it from another website. */
let isFirst = performance
  .getEntriesByType('navigation')
  .some((entry) => (entry as PerformanceNavigationTiming).type === 'navigate')

/**
 * Scrolls to where an entry of the history was left, also if its rows are read again first, such as after a reload: the router's own
 * restoration scrolls once, when the page is still short.
 */
export function ScrollBack() {
  const { key, pathname } = useLocation()
  const type = useNavigationType()
  useEffect(() => {
    const place = placeInHistory()
    if (place !== undefined) places.paths[place] = pathname
  }, [key, pathname])
  useLayoutEffect(() => {
    const wanted = type === NavigationType.Pop && !isFirst ? (places.scroll[key] ?? 0) : 0
    isFirst = false
    let isWaiting = wanted > 0
    const note = () => {
      if (!isWaiting) places.scroll[key] = scrollY
    }
    const end = () => {
      isWaiting = false
      observer.disconnect()
      clearTimeout(timer)
      clearTimeout(settling)
      for (const move of moves) removeEventListener(move, end)
    }
    const scrollOn = () => {
      const reachable = document.documentElement.scrollHeight - innerHeight
      if (Math.abs(scrollY - wanted) > 1) scrollTo({ top: Math.min(wanted, reachable), behavior: 'instant' })
      if (reachable >= wanted) settling ??= setTimeout(end, settlingMs)
    }
    let settling: ReturnType<typeof setTimeout> | undefined
    const observer = new ResizeObserver(scrollOn)
    const timer = setTimeout(end, patienceMs)
    if (isWaiting) {
      observer.observe(document.body)
      for (const move of moves) addEventListener(move, end, { passive: true })
    } else end()
    addEventListener('scroll', note, { passive: true })
    return () => {
      end()
      removeEventListener('scroll', note)
    }
  }, [key, type])
  return <ScrollRestoration />
}
