/// The time of a request is over.
struct DeadlineExceeded: Error {}

/// Returns the result of some work, which is cancelled at the deadline.
func withDeadline<Result: Sendable>(
    _ limit: Duration,
    clock: some Clock<Duration> = ContinuousClock(),
    _ work: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try await withThrowingTaskGroup(of: Result.self) { group in
        group.addTask(operation: work)
        group.addTask {
            try await clock.sleep(for: limit)
            throw DeadlineExceeded()
        }
        defer { group.cancelAll() }
        guard let result = try await group.next() else { throw CancellationError() }
        return result
    }
}
