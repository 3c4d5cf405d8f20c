internal import HalcyonStore

extension ImageCache {
    /// Removes an original that its server does not have any more, and everything that was made of it, from memory and
    /// disk of some caches, also in a task that was cancelled. What newer work than that of the claim has stored stays.
    ///
    /// It is recorded for all caches before it is made in one, so that nothing found in one is stored in another
    /// afterwards.
    ///
    /// Complexity: O(n) in the number of variants that memory has had; with more than ``StoredVariants/limit`` of them, in
    /// the number of images in memory.
    ///
    /// - Parameters:
    ///   - key: The key of one of its images.
    ///   - claim: The claim of the server's answer.
    static func removeOriginal(of key: ImageKey, olderThan claim: StoreClaim, from caches: [ImageCache]) async {
        let removals = caches.compactMap { cache in claim.beginRemoval(from: cache.order).map { (cache, $0) } }
        for (cache, _) in removals { await cache.removeOriginal(of: key, olderThan: claim) }
        for (cache, removal) in removals { cache.order.end(removal) }
    }

    private func removeOriginal(of key: ImageKey, olderThan claim: StoreClaim) async {
        // The claim is asked for each at its removal: newer work may store it meanwhile.
        let keys = variants.keys(ofOriginalOf: key) ?? memory.keys(where: { $0.hasOriginal(of: key) })
        for key in keys { forget(key, claim) }
        await disk.removeOriginal(key.originalDiskKey) { [order] in claim.newerItems(in: order) }
    }
}

extension Set<StoreOrder.Item> {
    /// The names on disk of the results of processors among these items.
    fileprivate var processedDiskKeys: Set<ExactString> {
        Set<ExactString>(compactMap { if case .image(let key) = $0 { ExactString(key.processedDiskKey) } else { nil } })
    }

    /// A Boolean value that indicates whether the original, or one of its representations, is among these items.
    fileprivate var hasOriginal: Bool {
        contains { if case .image = $0 { false } else { true } }
    }
}

extension AsyncDiskCache {
    /// Removes an original and everything that was made of it.
    ///
    /// - Parameter keptItems: Returns the items that stay, right before the others are removed, after all earlier
    ///   changes; `nil` if all of them stay.
    fileprivate func removeOriginal(
        _ name: String,
        except keptItems: @escaping @Sendable () -> Set<StoreOrder.Item>?
    ) async {
        await write(priority: .normal) { [cache, faults] in
            guard let kept = keptItems() else { return }
            do {
                let keptKeys = kept.processedDiskKeys
                for key in try cache.entries(prefix: name + "\0").map(\.key) {
                    let isKept = ParsedDiskKey(key).isProcessed ? keptKeys.contains(ExactString(key)) : kept.hasOriginal
                    if !isKept { try cache.remove(for: key) }
                }
                if !kept.hasOriginal, cache.contains(name) { try cache.remove(for: name) }
            } catch {
                faults.report(error)
            }
        }
    }
}
