internal import Halcyon
internal import HalcyonConcurrency

extension Player {
    /// Performs a step on the caches. Its errors come from the disk that a program made fail; the model then demands
    /// nothing.
    func maintain(_ step: Step) async {
        let caches = caches
        switch step {
        case .look(let call):
            let request = request(of: call)
            await model.look(for: call) { await caches.group(of: call).contains(request) }
        case .store(let identity):
            await store(identity)
        case .remove(let identity, let variant):
            await remove(.image(identity)) { group in
                for call in Call.covering(identity, variant) {
                    try await group.remove(for: self.request(of: call))
                }
            }
        case .removeResource(let resource):
            await remove(.resource(resource)) { group in
                try await group.removeAll(originalsBeginningWith: SearchOrigin.url(resource).absoluteString)
            }
        case .removeAll:
            if planted == .crashes { fatalError("a planted crash") }
            if planted == .hangs { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
            await remove(.everything) { try await $0.removeAll() }
        case .removeFromDisk(let identity):
            model.disturb([identity.resource])
            let request = request(of: Call(identity: identity))
            for group in caches.groups { _ = try? await group.remove(for: request, from: .disk) }
        case .removeFromMemory(let identity):
            let request = request(of: Call(identity: identity))
            for group in caches.groups { _ = try? await group.remove(for: request, from: .memory) }
        case .clearMemory:
            for group in caches.groups { group.removeAllFromMemory() }
        case .clearDisk:
            model.disturb(nil)
            for group in caches.groups { try? await group.removeAllFromDisk() }
        case .memoryPressure(let isCritical):
            state.withLock { $0.pressure }?.tell(isCritical ? .critical : .warning)
        case .trimDisk:
            model.disturb(nil)
            for cache in caches.caches { try? await cache.trimDisk(to: 0) }
        case .removeExpired:
            for cache in caches.caches { _ = try? await cache.removeExpired() }
        case .flush:
            for group in caches.groups { await group.flush() }
        default:
            break
        }
    }

    /// Removes images from all groups.
    private func remove(_ scope: AnswerModel.Scope, _ body: (ImageCacheGroup) async throws -> Void) async {
        let removal = model.beginRemoval(scope)
        do {
            for group in caches.groups {
                try await body(planted == .keepsLower ? ImageCacheGroup(group.highest) : group)
            }
            model.endRemoval(removal)
        } catch {
            // The disk fails; its entries may come back.
        }
    }

    private func store(_ identity: Identity) async {
        let resource = program.resources[identity.resource]
        let (id, serial) = model.beginStore(of: identity)
        var isStored = false
        if let data = try? LabelledImage.encoded(
            serial: serial,
            isLarge: resource.isLarge,
            isAnimated: resource.isAnimated
        ) {
            let call = Call(identity: identity)
            isStored =
                (try? await caches.main.store(data, for: request(of: call)))
                ?? false
        }
        model.endStore(id, serial, isStored: isStored)
    }

    private func request(of call: Call) -> ImageRequest {
        ImageRequest(source(of: call), options: options(of: call))
    }
}
