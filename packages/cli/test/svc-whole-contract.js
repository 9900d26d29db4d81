// svc, offering the whole contract: streams, booleans and lists of objects are only in areas not served yet.
import { operations } from '@svc/contract'
import { run } from '../dist/main.js'

await run(process.argv, operations)
