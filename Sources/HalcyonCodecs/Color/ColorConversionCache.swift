internal import HalcyonSystem

/// The conversions used last, at most 16 of them and 4 MiB of profiles. Few profiles are in use at a time.
final class ColorConversionCache: Sendable {
    private struct Entry: Sendable {
        let profile: ColorProfile
        /// `nil`: nothing is to be converted, which is worth knowing too.
        let conversion: ColorConversion?
    }

    static let shared = ColorConversionCache(countLimit: 16, byteLimit: 4 << 20)

    /// The entry used last stands last.
    private let entries = Lock<[Entry]>([])
    private let countLimit: Int
    private let byteLimit: Int

    init(countLimit: Int, byteLimit: Int) {
        self.countLimit = countLimit
        self.byteLimit = byteLimit
    }

    /// The number of conversions kept now, and their bytes.
    var usage: (count: Int, byteCount: Int) {
        entries.withLock { entries in (entries.count, entries.reduce(0) { $0 + $1.profile.byteCount }) }
    }

    /// The conversion for a profile, made by `make` where it is not kept. Two threads may make the same one.
    func conversion(for profile: ColorProfile, make: () -> ColorConversion?) -> ColorConversion? {
        let kept = entries.withLock { entries -> Entry? in
            guard let index = entries.lastIndex(where: { $0.profile == profile }) else { return nil }
            if index != entries.count - 1 {
                entries.append(entries.remove(at: index))
            }
            return entries.last
        }
        if let kept { return kept.conversion }
        let conversion = make()
        entries.withLock { entries in
            guard profile.byteCount <= byteLimit, !entries.contains(where: { $0.profile == profile }) else { return }
            entries.append(Entry(profile: profile, conversion: conversion))
            var byteCount = entries.reduce(0) { $0 + $1.profile.byteCount }
            while entries.count > countLimit || byteCount > byteLimit {
                byteCount -= entries.removeFirst().profile.byteCount
            }
        }
        return conversion
    }
}

extension ColorProfile {
    /// The memory that the profile takes.
    fileprivate var byteCount: Int {
        switch self {
        case .icc(let data): data.count
        case .codePoints: 0
        }
    }
}
