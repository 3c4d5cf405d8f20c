import FoundationEssentials
import HalcyonTesting

@testable import Halcyon

extension OptionTable {
    private static let firstInterceptor = LoadInterceptor { try await $0.proceed() }
    private static let secondInterceptor = LoadInterceptor { try await $0.proceed() }
    private static let firstLoader = SourceLoader { _, _ in nil }
    private static let secondLoader = SourceLoader { _, _ in nil }

    private static func hook(of interceptor: LoadInterceptor) -> Hook<any LoadIntercepting> {
        Hook(interceptor, identity: interceptor)
    }

    private static func hook(of loader: SourceLoader) -> Hook<any SourceLoading> {
        Hook(loader, identity: loader)
    }

    private static func values(_ note: String) -> ImageOptionValues {
        var values = ImageOptionValues()
        values.set(note, for: NoteKey.self)
        return values
    }

    /// The fields by which a program takes part in loads.
    @Rows static var extending: [Row] {
        Row(
            .interceptors,
            \.interceptorHooks,
            [],
            (.interceptors(firstInterceptor), [hook(of: firstInterceptor)]),
            (.interceptors(secondInterceptor), [hook(of: secondInterceptor)])
        )
        Row(
            .loaders,
            \.loaderHooks,
            [],
            (.loaders(firstLoader), [hook(of: firstLoader)]),
            (.loaders(secondLoader), [hook(of: secondLoader)])
        )
        Row(
            .values,
            \.values,
            ImageOptionValues(),
            (.value("a", for: NoteKey.self), values("a")),
            (.value("b", for: NoteKey.self), values("b"))
        )
    }
}
