internal import CHiredis
internal import CHiredisShim
internal import FoundationEssentials
internal import Glibc

/// One connection to a node of an engine, which one thread at a time uses.
///
/// hiredis connects, formats and parses; the waiting is done here, so that one deadline holds for a whole call: the time
/// limits of sockets begin anew with every byte.
///
/// Unchecked: it is handed from thread to thread by the lock of its node, and has one owner.
final class EngineConnection: @unchecked Sendable {
    /// The bounds of the replies of one call.
    struct Limits: Sendable {
        /// The bytes of all strings.
        var byteCount: Int
        /// The elements of all arrays.
        var elementCount = 1 << 16

        /// For replies without bodies.
        static let small = Limits(byteCount: 1 << 20)
    }

    /// The files of an encrypted connection.
    struct Encryption: Sendable, Hashable {
        var authorities: String?
        var certificate: String?
        var privateKey: String?
    }

    let address: EngineAddress
    private let context: UnsafeMutablePointer<redisContext>
    private let budget: UnsafeMutablePointer<HalcyonReplyBudget>
    private let isEncrypted: Bool

    /// Connects. Blocks: looking a name up has no time limit.
    ///
    /// - Parameter timeout: The time of connecting to one of the addresses of the name.
    /// - Throws: ``FleetError/unreachable(_:reason:)``, ``FleetError/encryptionUnavailable(_:)``.
    init(to address: EngineAddress, encryption: Encryption?, timeout: Duration) throws(FleetError) {
        if encryption != nil, let problem = Self.encryptionProblem { throw .encryptionUnavailable(problem) }
        let (seconds, fraction) = timeout.components
        let time = timeval(tv_sec: Int(seconds), tv_usec: Int(fraction / 1_000_000_000_000))
        guard let context = redisConnectWithTimeout(address.host, Int32(address.port), time) else {
            throw .unreachable("\(address)", reason: "no memory")
        }
        if context.pointee.err != 0 {
            defer { redisFree(context) }
            throw .unreachable("\(address)", reason: Self.reason(context))
        }
        let budget = UnsafeMutablePointer<HalcyonReplyBudget>.allocate(capacity: 1)
        budget.initialize(to: HalcyonReplyBudget())
        let flags = fcntl(context.pointee.fd, F_GETFL)
        guard flags >= 0, fcntl(context.pointee.fd, F_SETFL, flags | O_NONBLOCK) == 0,
            halcyon_hiredis_bound(context, budget)
        else {
            redisFree(context)
            budget.deallocate()
            throw .unreachable("\(address)", reason: "no memory")
        }
        _ = fcntl(context.pointee.fd, F_SETFD, FD_CLOEXEC)
        context.pointee.flags &= ~REDIS_BLOCK
        if let encryption, let problem = Self.encrypt(context, address.host, encryption) {
            redisFree(context)
            budget.deallocate()
            throw .unreachable("\(address)", reason: problem)
        }
        self.address = address
        self.context = context
        self.budget = budget
        isEncrypted = encryption != nil
    }

    deinit {
        EngineSignals.withoutPipeSignal { redisFree(context) }
        // After the reader, whose replies count against it.
        budget.deallocate()
    }

    /// The reason why no connection can be encrypted on this system; `nil` if they can.
    static var encryptionProblem: String? { halcyon_hiredis_tls_problem().map { String(cString: $0) } }

    /// Returns the reason why a connection cannot be encrypted; `nil` if it can.
    private static func encrypt(_ context: UnsafeMutablePointer<redisContext>, _ host: String, _ files: Encryption)
        -> String?
    {
        var reason = [CChar](repeating: 0, count: 256)
        func withPath<Result>(_ path: String?, _ body: (UnsafePointer<CChar>?) -> Result) -> Result {
            guard let path else { return body(nil) }
            return path.withCString(body)
        }
        let isBegun = withPath(files.authorities) { authorities in
            withPath(files.certificate) { certificate in
                withPath(files.privateKey) { key in
                    var options = HalcyonEngineTLS(authorities: authorities, certificate: certificate, private_key: key)
                    return EngineSignals.withoutPipeSignal {
                        halcyon_hiredis_start_tls(context, host, &options, &reason, reason.count)
                    }
                }
            }
        }
        return isBegun ? nil : text(reason)
    }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Returns the words of hiredis for the error of a connection.
    private static func reason(_ context: UnsafeMutablePointer<redisContext>) -> String {
        withUnsafeBytes(of: context.pointee.errstr) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    /// `false` if the engine has closed the connection, or has sent what nobody asked for.
    var isUsable: Bool {
        var descriptor = pollfd(fd: context.pointee.fd, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, 0) == 0
    }

    /// Sends commands, and returns the reply of each.
    ///
    /// - Throws: ``FleetError``; the connection is then of no more use.
    func call(
        _ commands: [EngineCommand],
        limits: Limits,
        until deadline: ContinuousClock.Instant
    ) throws(FleetError) -> [EngineReply] {
        try send(commands, until: deadline)
        budget.pointee = HalcyonReplyBudget(
            bytes: limits.byteCount,
            elements: limits.elementCount,
            is_exceeded: false
        )
        var replies: [EngineReply] = []
        replies.reserveCapacity(commands.count)
        var received = 0
        for _ in commands {
            replies.append(try receive(&received, limits, until: deadline))
        }
        // The next call would take the rest for its own reply.
        let reader = context.pointee.reader.pointee
        guard reader.pos == reader.len else { throw .invalidReply("more came than was asked for") }
        return replies
    }

    /// Sends commands without waiting for replies.
    func send(_ commands: [EngineCommand], until deadline: ContinuousClock.Instant) throws(FleetError) {
        for command in commands { try append(command) }
        var isWritten: Int32 = 0
        var mayNeedToRead = false
        while true {
            let status = EngineSignals.withoutPipeSignal { redisBufferWrite(context, &isWritten) }
            guard status == REDIS_OK else { throw lost() }
            if isWritten != 0 { return }
            if mayNeedToRead {
                // hiredis does not say what a handshake waits for.
                try waitBriefly(POLLIN, until: deadline)
            } else {
                try wait(POLLOUT, until: deadline)
            }
            mayNeedToRead = isEncrypted && !mayNeedToRead
        }
    }

    /// Returns what comes next without having been asked for, such as a message of a channel.
    func next(limits: Limits, until deadline: ContinuousClock.Instant) throws(FleetError) -> EngineReply {
        budget.pointee = HalcyonReplyBudget(
            bytes: limits.byteCount,
            elements: limits.elementCount,
            is_exceeded: false
        )
        var received = 0
        return try receive(&received, limits, until: deadline)
    }

    private func append(_ command: EngineCommand) throws(FleetError) {
        // hiredis takes pointers to all arguments at once: they are put behind one another first.
        var bytes: [UInt8] = []
        bytes.reserveCapacity(command.arguments.reduce(0) { $0 + $1.count })
        for argument in command.arguments { bytes.append(contentsOf: argument) }
        let status = bytes.withUnsafeBufferPointer { bytes -> Int32 in
            // Of no bytes there is no address, and hiredis copies none.
            let start = UnsafeRawPointer(bytes.baseAddress).map { $0.assumingMemoryBound(to: CChar.self) }
            var offset = 0
            var pointers: [UnsafePointer<CChar>?] = []
            var lengths: [Int] = []
            for argument in command.arguments {
                pointers.append(start.map { $0 + offset })
                lengths.append(argument.count)
                offset += argument.count
            }
            return redisAppendCommandArgv(context, Int32(pointers.count), &pointers, lengths)
        }
        guard status == REDIS_OK else { throw lost() }
    }

    /// Returns the next reply.
    ///
    /// - Parameter received: The bytes that were read for this call.
    private func receive(
        _ received: inout Int,
        _ limits: Limits,
        until deadline: ContinuousClock.Instant
    ) throws(FleetError) -> EngineReply {
        // OpenSSL may have read more than it was asked for.
        var mustWait = !isEncrypted
        while true {
            var object: UnsafeMutableRawPointer?
            guard redisReaderGetReply(context.pointee.reader, &object) == REDIS_OK else {
                if budget.pointee.is_exceeded { throw .replyTooLarge }
                throw .invalidReply(readerProblem)
            }
            if let object {
                defer { halcyon_hiredis_free_reply(object) }
                return Self.reply(object.assumingMemoryBound(to: redisReply.self).pointee)
            }
            // A string is kept in the reader's buffer until it is whole: each has its mark and its length besides.
            guard received <= limits.byteCount + 64 * min(limits.elementCount, 1 << 20) else { throw .replyTooLarge }
            if mustWait { try wait(POLLIN, until: deadline) }
            let earlier = context.pointee.reader.pointee.len
            let status = EngineSignals.withoutPipeSignal { redisBufferRead(context) }
            guard status == REDIS_OK else { throw lost() }
            let count = Int(context.pointee.reader.pointee.len) - Int(earlier)
            received += max(0, count)
            mustWait = count <= 0
            if count <= 0, ContinuousClock.now >= deadline { throw .deadlineExceeded }
        }
    }

    private var readerProblem: String {
        withUnsafeBytes(of: context.pointee.reader.pointee.errstr) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    private func lost() -> FleetError {
        if context.pointee.err == REDIS_ERR_PROTOCOL { return .invalidReply(Self.reason(context)) }
        return .unreachable("\(address)", reason: Self.reason(context))
    }

    /// Waits until the connection can be read or written.
    private func wait(_ events: Int32, until deadline: ContinuousClock.Instant) throws(FleetError) {
        while true {
            let left = deadline - ContinuousClock.now
            guard left > .zero else { throw .deadlineExceeded }
            var descriptor = pollfd(fd: context.pointee.fd, events: Int16(events), revents: 0)
            // Rounded up: a wait of less than a millisecond would be none.
            let time = min(left, .seconds(3_600)).whole(.milliseconds(1)) + 1
            let count = poll(&descriptor, 1, Int32(time))
            if count > 0 { return }
            if count < 0, errno != EINTR { throw .unreachable("\(address)", reason: "poll failed: \(errno)") }
        }
    }

    /// Waits until the connection can be read or written, for two milliseconds at the most.
    private func waitBriefly(_ events: Int32, until deadline: ContinuousClock.Instant) throws(FleetError) {
        do throws(FleetError) {
            try wait(events, until: min(deadline, .now + .milliseconds(2)))
        } catch {
            guard error == .deadlineExceeded, ContinuousClock.now < deadline else { throw error }
        }
    }

    private static func reply(_ reply: redisReply) -> EngineReply {
        func bytes() -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: reply.str, count: Int(reply.len)) }
        switch reply.type {
        case REDIS_REPLY_STRING: return .bytes(Data(bytes()))
        case REDIS_REPLY_STATUS: return .status(String(decoding: bytes(), as: UTF8.self))
        case REDIS_REPLY_ERROR: return .error(String(decoding: bytes(), as: UTF8.self))
        case REDIS_REPLY_INTEGER: return .integer(reply.integer)
        case REDIS_REPLY_ARRAY:
            return .array(
                (0..<Int(reply.elements)).map { index in
                    reply.element?[index].map { Self.reply($0.pointee) } ?? .null
                }
            )
        default: return .null
        }
    }
}
