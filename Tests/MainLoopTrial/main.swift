// Started by the tests of `MainLoopBridge`: the main actor of a test's own process is run by the test runner already.
//
// `MainLoopTrial NAME` runs one of the trials below, and prints what happens.

import CGTK
import Dispatch
import Glibc
import HalcyonGTK

@MainActor
enum Trial {
    private static let loop = g_main_loop_new(nil, 0)
    private static var said: Set<String> = []
    private static var warnings: [String] = []
    private static var isOver = false

    private static func say(_ text: String) {
        said.insert(text)
        print(text)
    }

    /// Everything that the main actor can be given, in a loop as `g_application_run` has it.
    static func work() throws {
        DispatchQueue.main.async { MainActor.assumeIsolated { done("block from before") } }
        try MainLoopBridge.install()
        say("installed")
        DispatchQueue.main.async { MainActor.assumeIsolated { done("block") } }
        DispatchQueue.main.asyncAfter(deadline: .now() + 0.02) {
            MainActor.assumeIsolated { done("block that waited") }
        }
        Task {
            done(getpid() == cgtk_thread_id() ? "task on main thread" : "task on another thread")
            await Task.yield()
            done("task that waited")
        }
        Task {
            try? await Task.sleep(for: .milliseconds(20))
            done("task after sleep")
        }
        Task.detached { await MainActor.run { done("task from elsewhere") } }
        g_timeout_add(
            1,
            { _ in
                MainActor.assumeIsolated {
                    Trial.done("callback")
                    // A loop within a callback of GLib, as a dialogue runs one.
                    let inner = g_main_loop_new(nil, 0)
                    Task {
                        Trial.done("task in inner loop")
                        g_main_loop_quit(inner)
                    }
                    g_main_loop_run(inner)
                    g_main_loop_unref(inner)
                }
                return 0
            },
            nil
        )
        g_main_loop_run(loop)
        say("end")
    }

    /// Says one of the nine things that the work is done with.
    private static func done(_ text: String) {
        say(text)
        if said.count == 10 { g_main_loop_quit(loop) }
    }

    /// How often a loop turns, and how long the process computes, while there is nothing to do.
    static func idle() throws {
        try MainLoopBridge.install()
        Task { isOver = true }
        turn { isOver }
        let start = processorTime()
        print("\(turn(for: 300)) turns")
        print("\(processorTime() - start) ms")
    }

    static func uninstall() throws {
        try MainLoopBridge.install()
        try MainLoopBridge.install()
        Task { isOver = true }
        turn { isOver }
        print("installed \(MainLoopBridge.isInstalled)")
        MainLoopBridge.uninstall()
        MainLoopBridge.uninstall()
        isOver = false
        Task { isOver = true }
        turn(for: 50)
        print("installed \(MainLoopBridge.isInstalled), ran \(isOver)")
        try MainLoopBridge.install()
        turn { isOver }
        print("installed \(MainLoopBridge.isInstalled), ran \(isOver)")
    }

    /// Sets images, and prints the warnings that follow.
    ///
    /// - Parameter polls: Whether the main actor is polled, as by a binding without the bridge.
    static func check(installs: Bool, polls: Bool = false) throws {
        guard gtk_init_check() != 0, let picture = gtk_picture_new() else { return print("no display") }
        if installs { try MainLoopBridge.install() }
        if polls {
            g_timeout_add(
                50,
                { _ in
                    _dispatch_main_queue_callback_4CF(nil)
                    return 1
                },
                nil
            )
        }
        g_log_set_handler(
            "Halcyon",
            G_LOG_LEVEL_WARNING,
            { _, _, message, _ in
                let text = message.map { String(cString: $0) } ?? ""
                MainActor.assumeIsolated { Trial.warnings.append(text) }
            },
            nil
        )
        ImageDisplay(picture).setImage(with: nil)
        ImageDisplay(picture).setImage(with: nil)
        turn(for: 1_300)
        for warning in warnings { print(warning) }
        print("\(warnings.count) warnings")
    }

    /// Gives the first thread away, as an asynchronous `main` does at its first `await`.
    static func otherThread() -> Never {
        Task {
            do { try MainLoopBridge.install() } catch { print(error) }
            exit(0)
        }
        dispatchMain()
    }

    /// Turns the loop until a condition holds.
    private static func turn(until condition: () -> Bool) {
        while !condition() { g_main_context_iteration(nil, 1) }
    }

    /// Turns the loop for a time.
    ///
    /// - Returns: The number of turns.
    @discardableResult
    private static func turn(for milliseconds: UInt32) -> Int {
        isTimeOver = false
        g_timeout_add(
            milliseconds,
            { _ in
                MainActor.assumeIsolated { Trial.isTimeOver = true }
                return 0
            },
            nil
        )
        var turns = 0
        while !isTimeOver {
            g_main_context_iteration(nil, 1)
            turns += 1
        }
        return turns
    }

    private static var isTimeOver = false

    /// The time that the process has computed, in milliseconds.
    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1_000 + Double(time.tv_nsec) / 1_000_000
    }
}

// A trial that does not end is a failure.
alarm(60)
switch CommandLine.arguments.dropFirst().first {
case "work": try Trial.work()
case "idle": try Trial.idle()
case "uninstall": try Trial.uninstall()
case "served": try Trial.check(installs: true)
case "unserved": try Trial.check(installs: false)
case "polled": try Trial.check(installs: false, polls: true)
case "polled-and-served": try Trial.check(installs: true, polls: true)
case "other-thread": Trial.otherThread()
default: exit(2)
}
