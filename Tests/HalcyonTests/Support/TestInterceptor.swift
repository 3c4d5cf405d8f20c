@testable import Halcyon

/// An interceptor with closures, equal to its copies only.
final class TestInterceptor: LoadIntercepting {
    private let prepare: (@Sendable (ImageRequest) -> ImageRequest)?
    private let load: (@Sendable (InterceptedLoad) async throws -> LoadResult)?

    init(
        preparing prepare: (@Sendable (ImageRequest) -> ImageRequest)? = nil,
        _ load: @escaping @Sendable (InterceptedLoad) async throws -> LoadResult
    ) {
        (self.prepare, self.load) = (prepare, load)
    }

    init(preparing prepare: @escaping @Sendable (ImageRequest) -> ImageRequest) {
        (self.prepare, load) = (prepare, nil)
    }

    func prepared(_ request: ImageRequest) -> ImageRequest { prepare?(request) ?? request }

    func result(of load: InterceptedLoad) async throws -> LoadResult {
        if let answer = self.load { try await answer(load) } else { try await load.proceed() }
    }

    static func == (left: TestInterceptor, right: TestInterceptor) -> Bool { left === right }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
