/** The time by which a piece of work has to be done, shared by all of its steps. */
export class Deadline {
  private constructor(private readonly at: number) {}

  /** @param ms milliseconds from now */
  static in(ms: number): Deadline {
    return new Deadline(performance.now() + ms)
  }

  /** Milliseconds; 0 once it is over. */
  get remainingMs(): number {
    return Math.max(0, this.at - performance.now())
  }

  get isOver(): boolean {
    return this.remainingMs === 0
  }

  /** The earlier of this one and so many milliseconds from now. */
  atMost(ms: number): Deadline {
    return new Deadline(Math.min(this.at, performance.now() + ms))
  }

  /** One that is over so many milliseconds before this one. */
  lessBy(ms: number): Deadline {
    return new Deadline(this.at - ms)
  }
}
