import { Command } from 'commander'
import type { Operation } from '@svc/contract'

/**
 * `svc api …`: calls the API, as the contract declares it: what a server has of it, unless other operations are given.
 * Only the name is known here: the contract is loaded when it is called for, and the server never.
 * Add it as it is, without settings of the program: what follows the name is parsed by the commands of `api-tree.ts`.
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
