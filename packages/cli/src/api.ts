import { Command } from 'commander'
import type { Operation } from '@svc/contract'

/**
 * `svc api …`: calls operations of the API. This stub loads the contract only if the command runs; `api-tree.ts` parses
 * the arguments, so do not add settings of the program to it.
 * @param operations by default those that the server implements
 */
export const apiCommand = (operations?: readonly Operation[]): Command =>
  new Command('api')
    .description('Call the API of a server; svc api lists its areas')
    .argument('[area]')
    .argument('[operation]')
    .argument('[flags...]')
    .helpOption(false)
    .allowUnknownOption()
    .action(async (...given) => {
      const stub = given.at(-1) as Command
      const { apiTree } = await import('./api-tree.js')
      await apiTree(operations).parseAsync(stub.args, { from: 'user' })
    })
