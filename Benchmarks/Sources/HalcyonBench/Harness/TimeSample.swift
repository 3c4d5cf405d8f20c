internal import Glibc

/// Both clocks at one moment, or between two, in nanoseconds.
struct TimeSample {
    let wall: Double
    /// Of this process and of the children that have ended: some references are programs.
    let processor: Double

    static var now: TimeSample {
        TimeSample(wall: read(CLOCK_MONOTONIC), processor: read(CLOCK_PROCESS_CPUTIME_ID) + childrenProcessor)
    }

    subscript(clock: Measure.Clock) -> Double {
        switch clock {
        case .wall: wall
        case .processor: processor
        }
    }

    static func - (left: TimeSample, right: TimeSample) -> TimeSample {
        TimeSample(wall: left.wall - right.wall, processor: left.processor - right.processor)
    }

    static func / (left: TimeSample, count: Double) -> TimeSample {
        TimeSample(wall: left.wall / count, processor: left.processor / count)
    }

    private static var childrenProcessor: Double {
        var usage = rusage()
        getrusage(RUSAGE_CHILDREN.rawValue, &usage)
        return nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime)
    }

    /// A time of the system's accounts.
    static func nanoseconds(_ time: timeval) -> Double {
        Double(time.tv_sec) * 1e9 + Double(time.tv_usec) * 1e3
    }

    /// The wall clock alone, for what is too short for both.
    static var monotonic: Double { read(CLOCK_MONOTONIC) }

    private static func read(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}
