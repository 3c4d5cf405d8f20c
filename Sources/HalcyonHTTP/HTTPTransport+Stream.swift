extension HTTPTransport {
    /// Starts a transfer whose body is read piece by piece.
    ///
    /// At most about 256 KiB wait to be read; then the transfer pauses until the reader has caught up, so that a slow
    /// reader slows the server down. Releasing the stream and its iterators cancels the transfer.
    public func stream(for request: TransferRequest) -> TransferStream {
        let receiver = StreamReceiver()
        receiver.handle.attach(start(request, receiver: receiver))
        return TransferStream(receiver)
    }
}
