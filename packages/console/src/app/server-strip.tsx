import { Button, Group, Text } from '@mantine/core'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { server } from '../parts/api/server.js'
import { isReloadHeld, subscribeReloadHold } from '../parts/reload-hold.js'
import classes from './shell.module.css'

/** How often a page that is in view asks for the build of the server, in milliseconds. */
const checkMs = 300_000

/** Says at the top of the page that the server does not answer, or that it has a new version of the console. */
export function ServerStrip() {
  useServerChecks()
  const { outage, isUpdated } = useSyncExternalStore(server.subscribe, server.state)
  const isHeld = useSyncExternalStore(subscribeReloadHold, isReloadHeld)
  return (
    <div role="status" className={classes['strip']}>
      {outage ? <OutageNote retryAt={outage.retryAt} /> : isUpdated && !isHeld && <UpdateNote />}
    </div>
  )
}

/** Asks the server from time to time, when the page comes into view, and when the network changes. */
function useServerChecks(): void {
  useEffect(() => {
    const checkInView = () => {
      if (document.visibilityState === 'visible') void server.check()
    }
    const timer = setInterval(checkInView, checkMs)
    document.addEventListener('visibilitychange', checkInView)
    addEventListener('online', checkInView)
    addEventListener('offline', checkInView)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', checkInView)
      removeEventListener('online', checkInView)
      removeEventListener('offline', checkInView)
    }
  }, [])
}

function OutageNote({ retryAt }: { readonly retryAt: number | undefined }) {
  return (
    <Group gap="xs">
      <Text size="sm">
        Server not reachable. {/* A screen reader would read every second. */}
        <span aria-hidden>{retryAt === undefined ? 'Retrying…' : <Countdown to={retryAt} />}</span>
      </Text>
      <Button size="compact-sm" variant="default" loading={retryAt === undefined} onClick={() => void server.check()}>
        Retry now
      </Button>
    </Group>
  )
}

function Countdown({ to }: { readonly to: number }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 250)
    return () => clearInterval(timer)
  }, [])
  return `Retrying in ${String(Math.max(1, Math.ceil((to - now) / 1_000)))} s.`
}

function UpdateNote() {
  return (
    <Group gap="xs">
      <Text size="sm">A new version of the console is available.</Text>
      <Button size="compact-sm" variant="default" onClick={() => location.reload()}>
        Reload
      </Button>
    </Group>
  )
}
