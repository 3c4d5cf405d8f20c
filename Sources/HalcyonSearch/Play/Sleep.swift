internal import Glibc

/// Waits that give other threads time to run. No verdict depends on their length.
enum Sleep {
    /// Blocks the thread.
    static func microseconds(_ count: UInt32) {
        usleep(count)
    }

    /// Suspends the task.
    static func briefly() async {
        try? await Task.sleep(for: .microseconds(200))
    }
}
