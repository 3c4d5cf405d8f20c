internal import HalcyonSystem

/// The variants of originals that a cache has ever had in memory, so that all images of one original are found by a look-up
/// for each variant instead of a walk through all keys.
///
/// A program has few variants, one for each set of decode options and processors, and many originals. A walk copies every
/// key, under the lock that stores take; a look-up of one variant hashes one name and waits for nobody. So a server that
/// answers 404 for many URLs costs the same whether memory has ten images or a hundred thousand.
///
/// A variant is noted before an image of it is stored, and never forgotten: no image in memory is of one that is not here.
final class StoredVariants: Sendable {
    /// The most variants that are noted. Programs that make sizes at will, one for each window, have more: then a walk is as
    /// good.
    static let limit = 64

    private struct State {
        var variants: Set<ImageKey.Variant> = []
        var isOverfull = false
    }

    private let state = Lock(State())

    /// Notes the variant of an image that is about to be stored.
    func note(_ variant: ImageKey.Variant?) {
        guard let variant else { return }
        state.withLock { state in
            guard !state.isOverfull, !state.variants.contains(variant) else { return }
            if state.variants.count < Self.limit {
                state.variants.insert(variant)
            } else {
                state = State(isOverfull: true)
            }
        }
    }

    /// Returns the keys that images of the same original may have in memory; `nil` if there are too many to list.
    func keys(ofOriginalOf key: ImageKey) -> [ImageKey]? {
        let variants = state.withLock { $0.isOverfull ? nil : $0.variants }
        guard let variants else { return nil }
        return [key.replacingVariant(by: nil)] + variants.map(key.replacingVariant)
    }
}
