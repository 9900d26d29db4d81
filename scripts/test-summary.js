// Prints `N passed, N failed` from vitest's JSON reports. With CI set, a skipped test is a failure: exit code 1.
import { readFileSync } from 'node:fs'

const testResults = process.argv.slice(2).flatMap((file) => JSON.parse(readFileSync(file, 'utf8')).testResults)
const count = (...statuses) =>
  testResults.flatMap((file) => file.assertionResults).filter(({ status }) => statuses.includes(status)).length

// A file that cannot be loaded, or whose hooks fail, has no failed test in the report.
const brokenFiles = testResults.filter(
  (file) => file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed'),
).length
const skipped = count('skipped', 'pending', 'todo', 'disabled')

if (skipped > 0 && process.env.CI) {
  console.error('With CI set, no test may be skipped.')
  process.exitCode = 1
}
console.log(
  `${count('passed')} passed, ${count('failed') + brokenFiles} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`,
)
