internal import Dispatch
internal import Glibc
internal import Synchronization

/// What has to be undone at the end, an interruption included: servers to stop, folders to remove.
enum CleanUp {
    /// Runs its work once: when asked, when let go of, or when the program is interrupted.
    final class Token: Sendable {
        private let number: Int

        init(_ work: @escaping @Sendable () -> Void) {
            number = CleanUp.state.withLock { state in
                state.next += 1
                state.work[state.next] = work
                return state.next
            }
        }

        deinit {
            run()
        }

        func run() {
            let work = CleanUp.state.withLock { $0.work.removeValue(forKey: number) }
            work?()
        }
    }

    private struct State {
        var next = 0
        var work: [Int: @Sendable () -> Void] = [:]
    }

    private static let state = Mutex(State())

    /// An interruption cleans up, the latest first, and ends the program, as long as the caller keeps the result.
    static func onTermination() -> [any DispatchSourceSignal] {
        [SIGINT, SIGTERM, SIGHUP].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                let work = state.withLock { $0.work.sorted { $0.key > $1.key }.map(\.value) }
                for work in work {
                    work()
                }
                exit(128 + number)
            }
            source.resume()
            return source
        }
    }
}
