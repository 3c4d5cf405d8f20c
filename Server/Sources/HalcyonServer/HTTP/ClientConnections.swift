internal import Hummingbird
internal import NIOCore
internal import Synchronization

/// The connections of a server: the work for a client that leaves, or ends its sending side, is cancelled.
///
/// Hummingbird's own way to notice that, `consumeWithCancellationOnInboundClose`, reads the next request of the
/// connection and loses it.
final class ClientConnections: Sendable {
    private struct Connection {
        var hasLeft = false
        /// Makes the answer of the connection's request, of which there is one at a time.
        var answer: Task<Response, Never>?
    }

    private let connections = Mutex<[ObjectIdentifier: Connection]>([:])

    /// Returns the answer to a request of a connection.
    ///
    /// - Parameters:
    ///   - channel: The connection.
    ///   - work: Makes the answer; cancelled at once where the client has left already.
    func answer(on channel: any Channel, _ work: @escaping @Sendable () async -> Response) async -> Response {
        let task = Task(operation: work)
        let hasLeft = connections.withLock { connections in
            connections[ObjectIdentifier(channel)]?.answer = task
            return connections[ObjectIdentifier(channel)]?.hasLeft ?? false
        }
        if hasLeft { task.cancel() }
        defer { connections.withLock { $0[ObjectIdentifier(channel)]?.answer = nil } }
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func leave(_ channel: any Channel) {
        let answer = connections.withLock { connections in
            connections[ObjectIdentifier(channel)]?.hasLeft = true
            return connections[ObjectIdentifier(channel)]?.answer
        }
        answer?.cancel()
    }

    /// Tells the connections of a server when a client has left.
    final class Handler: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = Any

        private let connections: ClientConnections

        init(_ connections: ClientConnections) {
            self.connections = connections
        }

        func handlerAdded(context: ChannelHandlerContext) {
            let id = ObjectIdentifier(context.channel)
            connections.connections.withLock { $0[id] = Connection() }
        }

        func handlerRemoved(context: ChannelHandlerContext) {
            let id = ObjectIdentifier(context.channel)
            connections.connections.withLock { $0[id] = nil }
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case ChannelEvent.inputClosed = event { connections.leave(context.channel) }
            context.fireUserInboundEventTriggered(event)
        }

        func channelInactive(context: ChannelHandlerContext) {
            connections.leave(context.channel)
            context.fireChannelInactive()
        }
    }
}
