/** The tables with requests for shared files (see `Tables`). */
export interface TrafficTables {
  file_traffic: FileTrafficTable
  file_traffic_day: FileTrafficDayTable
  account_traffic_day: AccountTrafficDayTable
}

/** Requests for the share links of a file since it exists. */
interface FileTrafficTable {
  file_id: number
  requests: number
  hits: number
  misses: number
  bytes_served: number
}

/** The requests for a shared file on one day. */
interface FileTrafficDayTable extends FileTrafficTable {
  /** Number of the day since 1970-01-01, in UTC. */
  day: number
}

/** The requests for all shared files of an account on one day, with those for files that have been deleted since. */
interface AccountTrafficDayTable extends Omit<FileTrafficDayTable, 'file_id'> {
  account_id: number
}
