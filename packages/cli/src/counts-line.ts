import { isNoteOnTerminal } from './output.js'

/** A line that shows how far a command is, if stderr is a terminal. */
export interface CountsLine {
  readonly show: (text: string) => void
  /** Removes the line. */
  readonly stop: () => void
}

const redrawsPerSecond = 5

export async function startCountsLine(): Promise<CountsLine> {
  if (!isNoteOnTerminal()) return { show: () => undefined, stop: () => undefined }
  const { default: cliProgress } = await import('cli-progress')
  let shown = ''
  const bar = new cliProgress.SingleBar({
    format: () => shown,
    clearOnComplete: true,
    fps: redrawsPerSecond,
    forceRedraw: true,
    // The settings of the terminal stay as they are, so that nothing has to be restored if the process is killed.
    linewrap: true,
    hideCursor: false,
    gracefulExit: false,
  })
  bar.start(1, 0)
  return {
    show: (text) => {
      shown = text
      bar.update(0)
    },
    stop: () => bar.stop(),
  }
}
