// svc with all operations of the contract: only areas that are not implemented yet have lists of objects.
import { operations } from '@svc/contract'
import { run } from '../dist/main.js'

await run(process.argv, operations)
