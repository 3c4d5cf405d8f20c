extension HTTPTransport {
    /// Loads a whole body into memory.
    ///
    /// Memory for it is taken once where the length is known and not above 16 MiB, and never more than
    /// ``TransferLimits/bodyBytes``. HTTP statuses are not errors. Cancelling the task cancels the transfer; a task
    /// that is cancelled already sends nothing.
    ///
    /// - Throws: ``TransferError``.
    public func data(for request: TransferRequest) async throws -> HTTPResponseBody {
        guard !Task.isCancelled else { throw TransferError.cancelled }
        return try await BodyCollector(request, storage: .memory, hooks: .init()).collect(from: self, priority: nil)
    }
}
