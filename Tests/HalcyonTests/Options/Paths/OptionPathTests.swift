import FoundationEssentials
import HalcyonSystem
import Testing

@testable import Halcyon

@Suite("Each option on each way of a load")
struct OptionPathTests {
    @Test("has a row that says what it does on each way, or why it cannot matter there")
    func completeness() {
        #expect(Set(OptionPathTable.rows.map(\.field)).count == OptionFields.count)
        for row in OptionPathTable.rows {
            #expect(Set(row.cells.keys) == Set(LoadPath.allCases), "\(row.field)")
            #expect(row.repeated.isEmpty, "\(row.field)")
            let matters = row.cells.values.contains { if case .none = $0 { false } else { true } }
            #expect(matters, "\(row.field)")
        }
    }

    @Test("names tests that exist")
    func namedTests() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path(percentEncoded: false))
        for row in OptionPathTable.rows {
            for case .test(let file, let sentence) in row.cells.values {
                let path = names.first { $0.hasSuffix("/" + file) || $0 == file }
                let text = try String(contentsOf: folder.appending(path: path ?? file), encoding: .utf8)
                #expect(text.contains("\"\(sentence)\""), "\(row.field): \(file)")
            }
        }
    }

    @Test("does there what its row says, and nothing where it cannot matter", arguments: OptionPathTable.rows)
    func effects(row: OptionPathTable.Row) async throws {
        for path in LoadPath.allCases {
            guard let cell = row.cells[path] else { continue }
            if case .test = cell { continue }
            let without = try await PlainOutcomes.shared.outcome(path, row.setup)
            let scene = try PathScene(path, row.setup)
            let with = try await scene.outcome(with: row.options(scene))
            let pair = OptionPathTable.Pair(path: path, without: without, with: with)
            switch cell {
            case .effect(let check):
                #expect(check(pair), "\(row.field) on \(path): \(with), \(without) without it")
            case .none(let reason):
                #expect(with.answer == without.answer, "\(row.field) on \(path), \(reason)")
            case .test:
                break
            }
        }
    }

    @Test("begins from an outcome that is that of the way", arguments: LoadPath.allCases)
    func plain(path: LoadPath) async throws {
        let outcome = try await PlainOutcomes.shared.outcome(path, PathSetup())
        #expect(outcome.answer.error == nil)
        let source: ImageResponse.Source? =
            switch path {
            case .memory, .lookUp: .memory
            case .storedResult, .storedOriginal, .blockingLookUp: .disk
            case .network, .joined, .encoded: .network
            case .provider: .data
            case .file: .file
            case .prefetch: nil
            }
        #expect(outcome.answer.source == source)
        #expect(outcome.transfers == (LoadPath.sending.contains(path) ? 1 : 0))
    }
}

/// The outcomes of loads without an option, each worked out once.
private actor PlainOutcomes {
    static let shared = PlainOutcomes()

    private struct Key: Hashable {
        let path: LoadPath
        let setup: PathSetup
    }

    private var outcomes: [Key: Task<PathOutcome, any Error>] = [:]

    func outcome(_ path: LoadPath, _ setup: PathSetup) async throws -> PathOutcome {
        let key = Key(path: path, setup: setup)
        let outcome = outcomes[key] ?? Task { try await PathScene(path, setup).outcome(with: []) }
        outcomes[key] = outcome
        return try await outcome.value
    }
}
