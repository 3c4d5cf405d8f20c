internal import CReferences
internal import Glibc

/// Two threads that do the same at the same time, each on a processor of its own, where there are two: left alone, the
/// system often lets both take turns on one for as long as a sample takes.
enum PairOfThreads {
    /// Runs `body` on both; returns when both have ended.
    static func run(_ body: @escaping @Sendable (_ thread: Int) -> Void) {
        var ids: [pthread_t] = []
        for number in 0..<2 {
            let work = Unmanaged.passRetained(
                Work {
                    _ = halcyon_stay_on_processor(Int32(number))
                    body(number)
                }
            )
            var id = pthread_t()
            let code = pthread_create(
                &id,
                nil,
                { context in
                    guard let context else { return nil }
                    Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
                    return nil
                },
                work.toOpaque()
            )
            precondition(code == 0, "no thread can be started")
            ids.append(id)
        }
        for id in ids {
            pthread_join(id, nil)
        }
    }

    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }
}
