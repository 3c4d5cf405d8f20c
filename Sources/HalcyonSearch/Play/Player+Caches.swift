internal import Halcyon
internal import HalcyonSystem

extension Player {
    /// Performs a step on the caches. Its errors come from the disk that a program made fail; the model then demands
    /// nothing.
    func maintain(_ step: Step) async {
        let caches = caches
        switch step {
        case .look(let call):
            let request = request(of: call)
            await model.look(for: call) { await !caches.cache(of: call).tiers(with: request).isEmpty }
        case .store(let identity):
            await store(identity)
        case .remove(let identity, let variant):
            await remove(.image(identity)) { cache in
                for call in Call.covering(identity, variant) {
                    try await cache.remove(for: self.request(of: call))
                }
            }
        case .removeResource(let resource):
            await remove(.resource(resource)) { cache in
                try await cache.removeAll(originalsBeginningWith: SearchOrigin.url(resource).absoluteString)
            }
        case .removeAll:
            if planted == .crashes { fatalError("a planted crash") }
            if planted == .hangs { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
            await remove(.everything) { try await $0.removeAll() }
        case .removeFromDisk(let identity):
            model.disturb([identity.resource])
            let request = request(of: Call(identity: identity))
            for cache in caches.all { _ = try? await cache.remove(for: request, from: .disk) }
        case .removeFromMemory(let identity):
            let request = request(of: Call(identity: identity))
            for cache in caches.all { _ = try? await cache.remove(for: request, from: .memory) }
        case .clearMemory:
            for cache in caches.all { cache.removeAllFromMemory() }
        case .clearDisk:
            model.disturb(nil)
            for cache in caches.all { try? await cache.removeAllFromDisk() }
        case .memoryPressure(let isCritical):
            state.withLock { $0.pressure }?.tell(isCritical ? .critical : .warning)
        case .trimDisk:
            model.disturb(nil)
            for cache in caches.all { try? await cache.trimDisk(to: 0) }
        case .removeExpired:
            for cache in caches.all { _ = try? await cache.removeExpired() }
        case .flush:
            for cache in caches.all { await cache.flush() }
        default:
            break
        }
    }

    /// Removes images from all caches.
    private func remove(_ scope: AnswerModel.Scope, _ body: (ImageCache) async throws -> Void) async {
        let removal = model.beginRemoval(scope)
        let reached = planted == .keepsNamed ? [caches.main] : caches.all
        do {
            for cache in reached { try await body(cache) }
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
        ImageRequest(source(of: call), exactly: options(of: call))
    }
}
