import CIsolation
import Glibc
import Testing

@testable import HalcyonIsolation
@testable import IsolationTrial

@Suite("A confined worker")
struct ConfinementTests {
    /// What a stand-in for code that took a decoder over did.
    private enum Outcome: Equatable {
        case succeeded
        case failed(Int32)
        case ended
    }

    private static let all: [TrialWork] = [
        .openFile, .createFile, .openFont, .statFile, .connect, .connectTCP, .fork, .execute, .signalParent,
        .makeMemoryExecutable, .traceParent, .readParent, .openProcess, .raiseLimit, .writeInput, .useIOUring, .unshare,
    ]
    /// Those that end the worker, whatever the kind.
    private static let ending: [TrialWork] = [
        .connect, .connectTCP, .fork, .execute, .signalParent, .makeMemoryExecutable, .traceParent, .readParent,
        .openProcess, .useIOUring, .unshare,
    ]

    /// What each kind of protection alone does to each attack.
    private static let table: [(IsolationSet, [(TrialWork, [Outcome])])] = [
        (
            .process,
            [
                (.openFile, [.succeeded]), (.statFile, [.succeeded]), (.connect, [.succeeded]),
                (.connectTCP, [.failed(ECONNREFUSED)]), (.fork, [.succeeded]), (.signalParent, [.succeeded]),
                (.writeInput, [.failed(EACCES)]), (.raiseLimit, [.failed(EPERM)]),
            ]
        ),
        (
            [.process, .files],
            [
                (.openFile, [.failed(EACCES)]), (.statFile, [.succeeded]), (.connect, [.succeeded]),
                // From version 4 and 6 of Landlock on.
                (.connectTCP, [.failed(EACCES), .failed(ECONNREFUSED)]), (.fork, [.succeeded]),
                (.signalParent, [.failed(EPERM), .succeeded]), (.writeInput, [.failed(EACCES)]),
                (.raiseLimit, [.failed(EPERM)]),
            ]
        ),
        (
            [.process, .systemCalls],
            [
                (.openFile, [.failed(EPERM)]), (.statFile, [.failed(ENOSYS)]), (.connect, [.ended]),
                (.connectTCP, [.ended]), (.fork, [.ended]), (.signalParent, [.ended]),
                (.writeInput, [.failed(EACCES)]), (.raiseLimit, [.failed(EPERM)]),
            ]
        ),
    ]

    /// Has the attack made on this process, by a worker with these kinds of protection; `nil` if they are not to be had here.
    private func outcome(
        of attack: TrialWork,
        kind: WorkerKind = .stills,
        steps: IsolationSet,
        isStrict: Bool = false
    ) throws -> Outcome? {
        let trial = try Trial {
            $0.steps = steps
            $0.isStrict = isStrict
        }
        var request = trial.request(attack, kind: kind, parameters: "\(getpid())")
        request.required = steps
        do {
            let error = try #require(Int32(try trial.answer(request)))
            return error == 0 ? .succeeded : .failed(error)
        } catch IsolationError.notReached {
            return nil
        } catch IsolationError.workerLost(let loss) {
            switch loss.cause {
            // Since version 2.41, glibc's `fork` blocks all signals: the kernel ends the process then.
            case .systemCall, .signal(SIGSYS): break
            default: Issue.record("\(loss)")
            }
            return .ended
        }
    }

    @Test("makes no system call but those of decoders", arguments: all, WorkerKind.allCases)
    func systemCalls(attack: TrialWork, kind: WorkerKind) throws {
        guard let outcome = try outcome(of: attack, kind: kind, steps: .all) else { return }
        if Self.ending.contains(attack) {
            #expect(outcome == .ended)
        } else if attack == .openFont, kind == .drawings {
            #expect([.succeeded, .failed(ENOENT)].contains(outcome))
        } else if attack == .statFile {
            // Of drawings neither Landlock nor a filter can tell fonts from other files.
            #expect(outcome == (kind == .drawings ? .succeeded : .failed(ENOSYS)))
        } else {
            #expect([.failed(EPERM), .failed(EACCES)].contains(outcome))
        }
    }

    @Test("is stopped by each kind of protection from what that is for, and by no other", arguments: 0..<3)
    func cells(row: Int) throws {
        let (steps, cells) = Self.table[row]
        for (attack, outcomes) in cells {
            guard let outcome = try outcome(of: attack, steps: steps) else { return }
            #expect(outcomes.contains(outcome), "\(attack) with \(steps)")
        }
    }

    @Test(
        "ends at any call that is not listed, where it is strict",
        arguments: [
            TrialWork.openFile, .createFile, .raiseLimit,
        ]
    )
    func strict(attack: TrialWork) throws {
        let outcome = try outcome(of: attack, steps: .all, isStrict: true)
        #expect(outcome == nil || outcome == .ended)
    }

    @Test("opens no file by Landlock alone", arguments: [TrialWork.openFile, .createFile])
    func files(attack: TrialWork) throws {
        let outcome = try outcome(of: attack, steps: [.process, .files])
        #expect(outcome == nil || outcome == .failed(EACCES))
    }

    @Test("reads fonts for drawings by Landlock alone, and nothing else")
    func fonts() throws {
        guard let outcome = try outcome(of: .openFont, kind: .drawings, steps: [.process, .files]) else { return }
        #expect([.succeeded, .failed(ENOENT)].contains(outcome))
        #expect(try self.outcome(of: .openFile, kind: .drawings, steps: [.process, .files]) == .failed(EACCES))
    }

    @Test("opens no file for drawings where Landlock is missing")
    func drawingsWithoutLandlock() throws {
        let outcome = try outcome(of: .openFont, kind: .drawings, steps: [.process, .systemCalls])
        #expect(outcome == nil || outcome == .failed(EPERM))
    }

    @Test("is not stopped from opening a file by a process of its own: the set says so")
    func processOnly() throws {
        #expect(try outcome(of: .openFile, steps: .process) == .succeeded)
        let trial = try Trial { $0.steps = .process }
        let report = try trial.pool.report(for: .stills)
        #expect(report.reached == .process)
        #expect(report.reasons == ["files: not tried", "system calls: not tried"])
    }

    @Test("is not used where it has less protection than required")
    func required() throws {
        let trial = try Trial { $0.steps = .process }
        var request = trial.request(.echo)
        request.required = [.process, .systemCalls]
        #expect {
            try trial.answer(request)
        } throws: { error in
            "\(error)"
                == "decoding requires the protection process, system calls, but has process "
                + "(files: not tried; system calls: not tried)"
        }
    }

    @Test("cannot change its input, and nobody can change the size of what is shared")
    func sharedBuffers() throws {
        let input = try SharedBuffer(byteCount: 10_000, isReadOnly: true)
        let output = try SharedBuffer(byteCount: 10_000)
        #expect(output.byteCount == 12_288)
        for buffer in [input, output] {
            #expect(ftruncate(buffer.descriptor, 0) == -1)
            #expect(ftruncate(buffer.descriptor, 1 << 20) == -1)
            #expect(fcntl(buffer.descriptor, 1_033, 0x10) == -1)  // F_ADD_SEALS
        }
        #expect(write(input.descriptor, "x", 1) == -1)
        #expect(halcyon_map(input.descriptor, 4_096, true) == nil)
        let map = try #require(halcyon_map(input.descriptor, 4_096, false))
        #expect(mprotect(map, 4_096, PROT_READ | PROT_WRITE) == -1)
        munmap(map, 4_096)
    }
}
