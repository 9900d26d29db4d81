// Prints the slowest files, the failed tests with their first lines, and `N passed, N failed` from vitest's JSON reports. With CI set, a skipped test is a failure: exit code 1.
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

const testResults = process.argv.slice(2).flatMap((file) => JSON.parse(readFileSync(file, 'utf8')).testResults)
const count = (...statuses) =>
  testResults.flatMap((file) => file.assertionResults).filter(({ status }) => statuses.includes(status)).length

// A file that cannot be loaded, or whose hooks fail, has no failed test in the report.
const brokenFiles = testResults.filter(
  (file) => file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed'),
)
const skipped = count('skipped', 'pending', 'todo', 'disabled')

if (skipped > 0 && process.env.CI) {
  console.error('With CI set, no test may be skipped.')
  process.exitCode = 1
}

const slowestMax = 20
/** From the start of the first test to the end of the last one, beside the files of the other workers. */
const secondsOf = ({ startTime, endTime }) => (endTime - startTime) / 1000
console.log('The slowest files, in seconds:')
for (const file of testResults.toSorted((a, b) => secondsOf(b) - secondsOf(a)).slice(0, slowestMax))
  console.log(`${secondsOf(file).toFixed(1).padStart(7)}  ${relative(process.cwd(), file.name)}`)

const firstLines = (message) => (message ?? '').split('\n').slice(0, 6).join('\n')
for (const file of testResults)
  for (const { status, fullName, failureMessages } of file.assertionResults)
    if (status === 'failed')
      console.log(`failed: ${relative(process.cwd(), file.name)}: ${fullName}\n${firstLines(failureMessages[0])}`)
for (const file of brokenFiles)
  console.log(`failed: ${relative(process.cwd(), file.name)}\n${firstLines(file.message)}`)

console.log(
  `${count('passed')} passed, ${count('failed') + brokenFiles.length} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`,
)
