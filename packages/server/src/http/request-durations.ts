const name = 'svc_http_request_duration_seconds'
const help = 'Time from the request to the end of its answer'

/** Upper bounds of the buckets in seconds. */
const bounds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10]

/** The durations of one operation with one status. */
interface Series {
  readonly labels: string
  /** Observations by bucket, each counted in its smallest bucket only. */
  readonly counts: number[]
  count: number
  sum: number
}

/**
 * A histogram of the durations of requests by operation and status, in the text format of Prometheus. That of prom-client checks
 * and concatenates the labels at each observation, which costs more than most handlers.
 */
export class RequestDurations {
  readonly #byOperation = new Map<string, Series[]>()
  /** In the order of their first observation. */
  readonly #all: Series[] = []

  /** @param operation an id, without characters to escape */
  observe(operation: string, status: number, seconds: number): void {
    const series = this.#byOperation.get(operation)?.[status] ?? this.#add(operation, status)
    let bucket = 0
    while (seconds > (bounds[bucket] ?? Infinity)) bucket++
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1
    series.count++
    series.sum += seconds
  }

  #add(operation: string, status: number): Series {
    const labels = `operation="${operation}",status="${status}"`
    const series = { labels, counts: [...bounds.map(() => 0), 0], count: 0, sum: 0 }
    let byStatus = this.#byOperation.get(operation)
    if (byStatus === undefined) this.#byOperation.set(operation, (byStatus = []))
    byStatus[status] = series
    this.#all.push(series)
    return series
  }

  /** @returns lines without a line end after the last */
  text(): string {
    return [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`, ...this.#all.flatMap(linesOf)].join('\n')
  }
}

function linesOf({ labels, counts, count, sum }: Series): string[] {
  let below = 0
  const buckets = bounds.map((bound, index) => {
    below += counts[index] ?? 0
    return `${name}_bucket{le="${bound}",${labels}} ${below}`
  })
  return [
    ...buckets,
    `${name}_bucket{le="+Inf",${labels}} ${count}`,
    `${name}_sum{${labels}} ${sum}`,
    `${name}_count{${labels}} ${count}`,
  ]
}
