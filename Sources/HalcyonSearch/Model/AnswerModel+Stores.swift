extension AnswerModel {
    /// What a removal removes.
    enum Scope: Sendable {
        case everything
        case resource(Int)
        case image(Identity, Variant)

        func contains(_ identity: Identity) -> Bool {
            switch self {
            case .everything: true
            case .resource(let resource): identity.resource == resource
            case .image(let removed, _): identity == removed
            }
        }

        var variant: Variant? {
            guard case .image(_, let variant) = self else { return nil }
            return variant
        }
    }

    /// A removal that goes on.
    struct Removal: Sendable {
        fileprivate let scope: Scope
        fileprivate let start: Int
        /// Images of which all loads had ended before.
        fileprivate let serials: [Int]
    }

    /// An image is about to be removed.
    ///
    /// - Parameter busy: Resources of which a transfer goes on.
    func beginRemoval(_ scope: Scope, busy: Set<Int>) -> Removal {
        state.withLock { state in
            let touched = Set(resources.indices.filter { scope.touches($0) })
            state.disturb(touched)
            let quiet = touched.filter { !busy.contains($0) && state.isQuiet($0, resources[$0].policy) }
            let serials = state.images.filter { scope.contains($0.value.identity) }
                .filter { quiet.contains($0.value.identity.resource) }
            return Removal(scope: scope, start: state.tick(), serials: serials.keys.sorted())
        }
    }

    /// The removal has ended: what nothing else went on with is gone for good.
    func endRemoval(_ removal: Removal) {
        state.withLock { state in
            let end = state.tick()
            for serial in removal.serials {
                guard let resource = state.images[serial]?.identity.resource else { continue }
                let isTouched = state.activities.values.contains {
                    $0.resources.contains(resource) && $0.start > removal.start
                }
                guard !isTouched else { continue }
                state.images[serial]?.demands.append(
                    Demand(
                        rule: .removedImage,
                        variant: removal.scope.variant,
                        time: end,
                        reason: "after it had been removed"
                    )
                )
            }
        }
    }

    /// A program is about to store an image of its own.
    func beginStore(of identity: Identity) -> (id: Int, serial: Int) {
        state.withLock { state in
            state.disturb([identity.resource])
            state.nextSerial += 1
            // Loads that it meets may find it at once.
            state.images[state.nextSerial] = SentImage(identity: identity, time: state.tick())
            return (state.begin([identity.resource], call: nil), state.nextSerial)
        }
    }

    /// It is stored.
    func endStore(_ id: Int, _ serial: Int, isStored: Bool) {
        state.withLock { state in
            let end = state.tick()
            state.activities[id]?.end = end
            guard let start = state.activities[id]?.start, let identity = state.images[serial]?.identity else { return }
            // Another that is stored meanwhile is neither earlier nor later.
            state.images[serial]?.time = end
            guard isStored, !state.diskHasFailed else { return }
            state.pending.append(
                Replacement(
                    rule: .olderImage,
                    identity: identity,
                    variant: nil,
                    scope: .request,
                    serial: serial,
                    time: start,
                    reason: "although image \(serial) had been stored in its place"
                )
            )
        }
    }
}

extension AnswerModel.Scope {
    fileprivate func touches(_ resource: Int) -> Bool {
        switch self {
        case .everything: true
        case .resource(let removed): removed == resource
        case .image(let identity, _): identity.resource == resource
        }
    }
}
