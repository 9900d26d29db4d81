/** The time at which a piece of work must end. All its steps share it. */
export class Deadline {
  private constructor(private readonly at: number) {}

  /** @param ms milliseconds from now */
  static in(ms: number): Deadline {
    return new Deadline(performance.now() + ms)
  }

  /** Milliseconds until the deadline; 0 once it is over. */
  get remainingMs(): number {
    return Math.max(0, this.at - performance.now())
  }

  get isOver(): boolean {
    return this.remainingMs === 0
  }

  /** The earlier one of this deadline and `ms` milliseconds from now. */
  atMost(ms: number): Deadline {
    return new Deadline(Math.min(this.at, performance.now() + ms))
  }

  /** A deadline that is `ms` milliseconds before this one. */
  lessBy(ms: number): Deadline {
    return new Deadline(this.at - ms)
  }
}
