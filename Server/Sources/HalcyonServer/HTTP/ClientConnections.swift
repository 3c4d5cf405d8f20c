internal import Hummingbird
internal import NIOCore
internal import Synchronization

/// The connections of a server: the work for a client that leaves is cancelled.
///
/// Hummingbird's own way to notice that, `consumeWithCancellationOnInboundClose`, reads the next request of the
/// connection and loses it.
final class ClientConnections: Sendable {
    private let answers = Mutex<[ObjectIdentifier: Task<Response, Never>]>([:])

    /// Returns the answer to a request of a connection, of which there is one at a time.
    ///
    /// - Parameters:
    ///   - channel: The connection.
    ///   - work: Makes the answer; cancelled when the client closes the connection, or its sending side.
    func answer(on channel: any Channel, _ work: @escaping @Sendable () async -> Response) async -> Response {
        let task = Task(operation: work)
        answers.withLock { $0[ObjectIdentifier(channel)] = task }
        defer { answers.withLock { $0[ObjectIdentifier(channel)] = nil } }
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func cancelAnswer(on channel: any Channel) {
        answers.withLock { $0[ObjectIdentifier(channel)] }?.cancel()
    }

    /// Tells the connections of a server when a client has left.
    final class Handler: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = Any

        private let connections: ClientConnections

        init(_ connections: ClientConnections) {
            self.connections = connections
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case ChannelEvent.inputClosed = event { connections.cancelAnswer(on: context.channel) }
            context.fireUserInboundEventTriggered(event)
        }

        func channelInactive(context: ChannelHandlerContext) {
            connections.cancelAnswer(on: context.channel)
            context.fireChannelInactive()
        }
    }
}
