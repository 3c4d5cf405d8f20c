internal import HalcyonCodecs

/// A difference that cannot be mended here. Never a crash, a hang or too much memory: those always count.
struct KnownDifference: Sendable {
    /// A file that fails, and its verdict.
    struct Failure {
        let row: ImageManifestRow
        /// The words of the verdict.
        let reason: String
        /// The bytes of the file, read when they are asked for.
        let bytes: () -> [UInt8]

        /// The distance from the suite's own pixels that the verdict states, from 0 to 255.
        var distance: Double? {
            reason.firstRange(of: " " + ImageCheck.distanceWords).flatMap { words in
                reason[..<words.lowerBound].split(separator: " ").last.flatMap { Double($0) }
            }
        }

        /// Returns whether the file has these characters somewhere in it.
        func contains(_ text: String) -> Bool {
            bytes().contains(Array(text.utf8))
        }
    }

    /// The origin of a difference.
    enum Cause: Sendable {
        /// A limit of the library in use, which has no way to do better, or a choice of ours. Few may be.
        case limit
        /// The list, whose figures are of one decoder with a reading of its own. Counted apart.
        case list
    }

    /// The versions of a library that have the difference. With any other version such a file must pass.
    enum Versions: Sendable {
        /// Those before a version, which has mended it.
        case before(CodecLibrary, CodecLibrary.Version)
        /// A version and those after it, which are stricter than browsers, or differ from the list.
        case from(CodecLibrary, CodecLibrary.Version)
    }

    /// Default: ``Cause/limit``.
    var cause = Cause.limit
    /// Default: `nil`, for all versions of every library.
    var versions: Versions?
    /// The property that the files have in common; shown beside each of them.
    let reason: String
    /// Returns whether a failure is one of them.
    let applies: @Sendable (Failure) -> Bool

    /// The reason, with the versions that have the difference.
    var explanation: String { versions.map { "\($0): \(reason)" } ?? reason }

    /// The greatest share of the rows that may be excused by a limit.
    static let greatestShare = 0.02

    /// Returns the difference that excuses a failure, or `nil`.
    ///
    /// - Parameter version: The version of a library in use. Default: that of this process.
    static func excusing(
        _ failure: Failure,
        version: (CodecLibrary) -> CodecLibrary.Version? = { $0.version }
    ) -> KnownDifference? {
        all.first { ($0.versions?.isInUse(version) ?? true) && $0.applies(failure) }
    }
}

extension KnownDifference.Versions {
    /// Returns whether the library is there in one of these versions.
    fileprivate func isInUse(_ version: (CodecLibrary) -> CodecLibrary.Version?) -> Bool {
        switch self {
        case .before(let library, let bound): version(library).map { $0 < bound } ?? false
        case .from(let library, let bound): version(library).map { $0 >= bound } ?? false
        }
    }
}

extension KnownDifference.Versions: CustomStringConvertible {
    var description: String {
        switch self {
        case .before(let library, let bound): "\(library.name) before \(bound)"
        case .from(let library, let bound): "\(library.name) from \(bound) on"
        }
    }
}
