/// A rule that a program has shown to be broken.
struct Finding: Hashable, Codable, Sendable {
    /// The rules that are promised.
    enum Rule: String, Codable, Sendable, CaseIterable {
        /// The image is that of this URL, user, language and body.
        case wrongImage
        /// The image has gone through these processors, in this order.
        case wrongVariant
        /// The pixels are those of some image.
        case damagedImage
        /// The frames of an animation are those of its image, and there as far as they are asked for.
        case wrongAnimation
        /// A removed image does not come back.
        case removedImage
        /// A load or store that began earlier does not replace one that began later.
        case olderImage
        /// An image that is cached is not loaded.
        case needlessLoad
        /// A cache contains an image that is cached.
        case missingImage
        /// A load fails only if a part that it needs fails.
        case wrongError
        /// A source that the pipeline does not allow is not loaded.
        case forbiddenSource
        /// A load is cancelled only by its caller.
        case wrongCancellation
        /// Configured headers are sent.
        case missingHeader
        /// Each call gets exactly one result.
        case result
        /// The events of each load begin once and end once, and nothing follows their end.
        case wrongEvents
        /// The numbers of a pipeline are those of its loads.
        case wrongStatistics
        /// Nothing is left over at the end.
        case leftover
        /// The stores are sound.
        case brokenStore
        /// The process does not end by itself.
        case crash
        /// The program ends.
        case hang
    }

    var rule: Rule
    var message: String
}

extension Finding: CustomStringConvertible {
    var description: String { "\(rule.rawValue): \(message)" }
}
