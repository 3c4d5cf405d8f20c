extension TransferLimits {
    /// Checks the length of a body against ``bodyBytes``: the one that a head states, that of a whole whose rest is
    /// requested, and that of each piece with what came before it.
    ///
    /// - Throws: ``TransferError/bodyTooLarge(maximum:)``.
    func checkBody(_ count: Int, after received: Int = 0) throws(TransferError) {
        guard count <= bodyBytes - received else { throw .bodyTooLarge(maximum: bodyBytes) }
    }
}
