internal import NIOCore

/// Closes connections whose client does not read an answer: nothing was written for some time, which is longer than
/// an answer takes. Requests that come too slowly are ended by Hummingbird's own limit.
final class SlowClientHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any

    /// Returns the handlers of a connection.
    static func handlers(seconds: Int64) -> [any RemovableChannelHandler] {
        [IdleStateHandler(writeTimeout: .seconds(seconds)), SlowClientHandler()]
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case IdleStateHandler.IdleStateEvent.write = event {
            context.close(promise: nil)
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }
}
