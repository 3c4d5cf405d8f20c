/// Closures that intercept loads. It is equal to its copies only.
///
/// ```swift
/// configuration.interceptors = [
///     LoadInterceptor(preparing: { request in
///         var request = request
///         request.options.cache.keyRule = .ignoringQuery
///         return request
///     }),
///     LoadInterceptor { load in
///         var request = load.request
///         request.options.network.headers[.authorization] = try await "Bearer \(tokens.current())"
///         return try await load.proceed(with: request)
///     },
/// ]
/// ```
public struct LoadInterceptor: LoadIntercepting {
    private typealias Preparing = @Sendable (ImageRequest) -> ImageRequest
    private typealias Loading = @Sendable (InterceptedLoad) async throws -> LoadResult

    private let closures: IdentifiedClosure<Closures>

    private struct Closures: Sendable {
        let prepare: Preparing?
        let load: Loading?
    }

    /// An interceptor with closures for one step or both.
    ///
    /// - Parameters:
    ///   - prepare: Returns the request to go on with; see ``LoadIntercepting/prepared(_:)``. Default: the
    ///     request itself.
    ///   - load: Returns the result; see ``LoadIntercepting/result(of:)``.
    public init(
        preparing prepare: (@Sendable (ImageRequest) -> ImageRequest)? = nil,
        _ load: @escaping @Sendable (InterceptedLoad) async throws -> LoadResult
    ) {
        closures = IdentifiedClosure(Closures(prepare: prepare, load: load))
    }

    /// An interceptor that rewrites requests before memory is looked into, and has no other step.
    ///
    /// - Parameter prepare: Returns the request to go on with.
    public init(preparing prepare: @escaping @Sendable (ImageRequest) -> ImageRequest) {
        closures = IdentifiedClosure(Closures(prepare: prepare, load: nil))
    }

    /// Returns the result of the closure.
    public func prepared(_ request: ImageRequest) -> ImageRequest {
        closures.function.prepare?(request) ?? request
    }

    /// Returns the result of the closure.
    public func result(of load: InterceptedLoad) async throws -> LoadResult {
        guard let answer = closures.function.load else { return try await load.proceed() }
        return try await answer(load)
    }
}
