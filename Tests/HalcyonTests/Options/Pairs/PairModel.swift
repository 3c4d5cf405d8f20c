@testable import Halcyon

/// What the options of a load allow, as far as three loads in a row show it: on empty caches, again, and after memory
/// was cleared. The image has one colour for each frame, and is cropped unless an option says otherwise.
struct PairModel: Sendable {
    /// The colours of the images that there are.
    enum Color {
        static let frames: [UInt8] = [10, 20]
        static let modified: [UInt8] = [30, 40]
        static let alternative: UInt8 = 50
    }

    var reads = CachePolicy.Reads.all
    var storesInMemory = true
    var storesOnDisk = true
    var hasOtherMethod = false
    var hasNamedHooks = true
    /// A Boolean value that indicates whether caches may keep the image under a name.
    var isNamed: Bool { !hasOtherMethod && hasNamedHooks }
    /// A Boolean value that indicates whether the server is asked although a cache has the image.
    var asksServer = false
    var ignoresServer = false
    var isNetworkAllowed = true
    var hasAlternative = false
    var hasOwnDownloader = false
    var frame = 0
    var isModified = false
    var size = PixelSize(4, 4)
    var scale = 1.0
    var isScaledByModifier = false

    /// What one of the loads gives.
    struct Expectation: Sendable {
        /// The colour; `nil` for an error.
        var color: UInt8?
        var error: ImageError.Reason?
        /// The place that the image came from; `nil` if there are several that it may come from.
        var source: ImageResponse.Source?
        /// The possible numbers of transfers.
        var transfers = 0...0
    }

    /// The scale of the image that is delivered.
    var deliveredScale: Double { isScaledByModifier ? 3 : scale }

    private var color: UInt8 { isModified ? Color.modified[frame] : Color.frames[frame] }

    /// Returns what the loads give, in their order.
    ///
    /// - Parameter contradiction: The contradiction of the options, if they have one.
    func expectations(_ contradiction: OptionContradiction?) -> [Expectation] {
        if let contradiction {
            return Array(repeating: Expectation(error: .contradictoryOptions(contradiction)), count: 3)
        }
        var (isInMemory, isOnDisk, isUncertain) = (false, false, false)
        return (0..<3).map { load in
            if load == 2 { isInMemory = false }
            let mayAsk = asksServer && !ignoresServer
            // A request to ask goes with one to ignore the server for memory, and not for the disk.
            if asksServer, ignoresServer { isUncertain = isInMemory || isOnDisk || isUncertain }
            if isUncertain { return Expectation(color: color, transfers: 0...1) }
            if isInMemory, !mayAsk, reads == .all || reads == .memory {
                return Expectation(color: color, source: .memory)
            }
            if isOnDisk, !mayAsk, reads == .all || reads == .disk {
                isInMemory = storesInMemory
                return Expectation(color: color, source: .disk)
            }
            guard isNetworkAllowed || reads == .none else {
                return hasAlternative
                    ? Expectation(color: Color.alternative, source: .data) : Expectation(error: .notCached)
            }
            isInMemory = storesInMemory && isNamed
            isOnDisk = storesOnDisk && isNamed
            return Expectation(color: color, source: .network, transfers: 1...1)
        }
    }
}
