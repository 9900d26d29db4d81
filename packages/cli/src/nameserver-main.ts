import { nameserverCommand } from './nameserver-command.js'
import { programOf, runProgram } from './program.js'

/** As `run` of main.ts, with only the command `nameserver`: the others would take 10 MB of its memory. */
export const run = (argv: readonly string[]): Promise<void> => runProgram(argv, () => programOf([nameserverCommand()]))
