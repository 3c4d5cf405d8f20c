import FoundationEssentials
import Testing

@testable import Halcyon

/// What each field of the options does on each way on which a load gets its image.
enum OptionPathTable {
    /// The outcomes of one load without and one with the option.
    struct Pair: Sendable {
        let path: LoadPath
        let without: PathOutcome
        let with: PathOutcome

        /// A Boolean value that indicates whether another image, or none, was the answer.
        var differsInImage: Bool { with.answer.image != without.answer.image }
        /// A Boolean value that indicates whether only the load with the option failed, or found nothing.
        var fails: Bool {
            without.answer.error == nil && with.answer.image == nil
                && (with.answer.error != nil || without.answer.image != nil)
        }
        /// A Boolean value that indicates whether the load with the option got another image than that in the caches,
        /// or found none in memory.
        var isAnotherImage: Bool {
            differsInImage && (with.answer.image != nil) == (path != .lookUp) && with.answer.error == nil
        }
        /// A Boolean value that indicates whether the caches did not answer although they have the image.
        var asksAgain: Bool {
            if path == .lookUp || path == .blockingLookUp { return fails }
            return without.transfers == 0 && with.transfers == 1 && with.answer.source == .network
        }
    }

    /// What a field does on one way.
    enum Cell: Sendable {
        /// It shows in the outcome.
        case effect(@Sendable (Pair) -> Bool)
        /// It cannot matter.
        case none(PathReason)
        /// It shows in a test of its own.
        case test(file: String, sentence: String)
    }

    /// A field, and options that set it to another value than the default.
    struct Row: Sendable {
        let field: String
        let setup: PathSetup
        let options: @Sendable (PathScene) -> [ImageOption]
        private(set) var cells: [LoadPath: Cell] = [:]
        /// The ways that were named more than once.
        private(set) var repeated: Set<LoadPath> = []

        init(
            _ field: String,
            _ setup: PathSetup = PathSetup(),
            _ options: @escaping @Sendable (PathScene) -> [ImageOption]
        ) {
            self.field = field
            self.setup = setup
            self.options = options
        }

        /// Says that the field shows in outcomes.
        func shows(on paths: [LoadPath], _ check: @escaping @Sendable (Pair) -> Bool) -> Row {
            adding(.effect(check), paths)
        }

        /// Says that the field cannot matter.
        func cannotMatter(on paths: [LoadPath], _ reason: PathReason) -> Row { adding(.none(reason), paths) }

        /// Names the test that shows the field's effect.
        func isTested(on paths: [LoadPath], _ file: String, _ sentence: String) -> Row {
            adding(.test(file: file, sentence: sentence), paths)
        }

        private func adding(_ cell: Cell, _ paths: [LoadPath]) -> Row {
            var row = self
            for path in paths where row.cells.updateValue(cell, forKey: path) != nil { row.repeated.insert(path) }
            return row
        }
    }

    /// Type-checks each row by itself.
    @resultBuilder
    enum Rows {
        static func buildExpression(_ row: Row) -> Row { row }
        static func buildBlock(_ rows: Row...) -> [Row] { rows }
    }

    static let rows: [Row] =
        cacheReading + cacheWriting + keys + decoding + transfers + recovery + delivery + progress + work + extending
}

extension OptionPathTable.Row: CustomTestStringConvertible {
    var testDescription: String { field }
}
