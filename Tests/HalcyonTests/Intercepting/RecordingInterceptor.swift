import FoundationEssentials
import HalcyonSystem
import HalcyonTesting

@testable import Halcyon

/// Keeps short texts in the order in which they come.
final class CallLog: Sendable {
    private let state = Lock<[String]>([])

    var texts: [String] { state.withLock { $0 } }

    func add(_ text: String) { state.withLock { $0.append(text) } }

    /// Returns the texts so far, and begins anew.
    func take() -> [String] {
        state.withLock { texts in
            defer { texts = [] }
            return texts
        }
    }
}

/// Notes its steps, and changes nothing.
struct RecordingInterceptor: LoadIntercepting {
    let name: String
    let log: CallLog

    func prepared(_ request: ImageRequest) -> ImageRequest {
        log.add("prepare \(name)")
        return request
    }

    func result(of load: InterceptedLoad) async throws -> LoadResult {
        log.add("load \(name)")
        do {
            let result = try await load.proceed()
            log.add("end \(name)")
            return result
        } catch {
            log.add("fail \(name)")
            throw error
        }
    }

    static func == (left: Self, right: Self) -> Bool { left.name == right.name && left.log === right.log }

    func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension LoadResult {
    /// An answer of one pixel.
    static var pixel: LoadResult {
        let size = PixelSize(1, 1)
        return LoadResult(
            DecodedImage(bitmap: Sample.bitmap(1, 1, seed: 9), info: ImageInfo(format: .png, size: size))
        )
    }
}
