extension AnswerModel {
    /// The scope of a removal.
    enum Scope: Sendable {
        case everything
        case resource(Int)
        case image(Identity)

        func contains(_ identity: Identity) -> Bool {
            switch self {
            case .everything: true
            case .resource(let resource): identity.resource == resource && identity.form?.isNamedByURL != false
            case .image(let removed): identity == removed
            }
        }
    }

    /// A removal that goes on.
    struct Removal: Sendable {
        fileprivate let scope: Scope
        fileprivate let start: Int
    }

    /// Notes that images are about to be removed.
    func beginRemoval(_ scope: Scope) -> Removal {
        state.withLock { state in
            state.disturb(Set(resources.indices.filter { scope.touches($0) }))
            return Removal(scope: scope, start: state.tick())
        }
    }

    /// Notes that the removal has ended: nothing that was there or being loaded when it was called must come back.
    func endRemoval(_ removal: Removal) {
        state.withLock { state in
            let end = state.tick()
            state.removals.append((removal, end))
            for serial in state.images.keys { state.demand(removal, of: serial, from: end) }
        }
    }

    /// Checks the answer to the question of whether a cache contains the image of a call.
    func look(for call: Call, _ contains: () async -> Bool) async {
        // Where a cache has to answer the call, and nothing happens to the resource meanwhile.
        func expectation() -> Int? {
            state.withLock { state in
                let isQuiet = state.isQuiet(call.identity.resource, resources[call.identity.resource].policy)
                let isCached = state.cached.contains(call.withoutUrgency)
                // The original alone is stored in the place of a result.
                return isQuiet && isCached && call.settings?.serializer != .original ? state.nextID : nil
            }
        }
        let before = expectation()
        let isContained = await contains()
        guard !isContained, let before, before == expectation() else { return }
        report(.missingImage, "\(call): its cache does not contain it")
    }

    /// Notes that a program is about to store an image of its own.
    func beginStore(of identity: Identity) -> (id: Int, serial: Int) {
        state.withLock { state in
            state.disturb([identity.resource])
            state.nextSerial += 1
            // Loads at the same time may find it at once.
            let id = state.begin([identity.resource], call: nil)
            state.images[state.nextSerial] = SentImage(identity: identity, time: state.tick(), causes: [id])
            return (id, state.nextSerial)
        }
    }

    /// Notes that the image is stored.
    func endStore(_ id: Int, _ serial: Int, isStored: Bool) {
        state.withLock { state in
            let end = state.tick()
            state.activities[id]?.end = end
            guard let start = state.activities[id]?.start, let identity = state.images[serial]?.identity else { return }
            // Another one that is stored at the same time is neither earlier nor later.
            state.images[serial]?.time = end
            guard isStored, !state.diskHasFailed else { return }
            state.pending.append(
                Replacement(
                    rule: .olderImage,
                    identity: identity,
                    domain: Domain(),
                    serial: serial,
                    time: start,
                    reason: "although image \(serial) had been stored in its place"
                )
            )
        }
    }
}

extension AnswerModel.State {
    /// Returns whether an activity is known to have been called before a time, as the function that begins it had
    /// returned, or it had ended.
    private func isCalled(_ id: Int, before time: Int) -> Bool {
        guard let activity = activities[id] else { return true }
        return activity.called ?? activity.end ?? .max < time
    }

    /// Demands that an image is not answered after a removal, if it was loaded or stored by activities from before.
    mutating func demand(_ removal: AnswerModel.Removal, of serial: Int, from end: Int) {
        guard let image = images[serial], !image.isFixed, removal.scope.contains(image.identity),
            image.causes.allSatisfy({ isCalled($0, before: removal.start) })
        else { return }
        images[serial]?.demands.append(
            AnswerModel.Demand(rule: .removedImage, time: end, reason: "after it had been removed")
        )
    }
}

extension AnswerModel.Scope {
    fileprivate func touches(_ resource: Int) -> Bool {
        switch self {
        case .everything: true
        case .resource(let removed): removed == resource
        case .image(let identity): identity.resource == resource
        }
    }
}
