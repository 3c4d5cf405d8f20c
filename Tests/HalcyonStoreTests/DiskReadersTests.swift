import HalcyonSystem
import Testing

@testable import HalcyonStore

@Suite("The idle connections of an index")
struct DiskReadersTests {
    private func makeConnection() throws -> SQLiteConnection {
        try SQLiteConnection(":memory:", creates: true, busyTimeout: 0)
    }

    @Test("a connection that was put back is taken again, once")
    func reuse() throws {
        let readers = DiskReaders()
        #expect(readers.take() == nil)
        let connection = try makeConnection()
        readers.putBack(connection)
        #expect(readers.take() === connection)
        #expect(readers.take() == nil)
    }

    @Test("four are kept, whichever processor they come from, and closed at the end")
    func limit() throws {
        var readers: DiskReaders? = DiskReaders()
        var connections = try (0..<6).map { _ in try makeConnection() }
        let references = connections.map(WeakConnection.init)
        for connection in connections { readers?.putBack(connection) }
        connections = []
        #expect(references.map(\.isOpen) == [true, true, true, true, false, false])
        readers = nil
        #expect(references.allSatisfy { !$0.isOpen })
    }

    @Test("no two threads have one connection at the same time, and none is lost")
    func threads() throws {
        let readers = DiskReaders()
        for _ in 0..<3 { readers.putBack(try makeConnection()) }
        let busy = Lock<Set<ObjectIdentifier>>([])
        runOnThreads(4) { _ in
            for _ in 0..<2_000 {
                guard let connection = readers.take() else { continue }
                let id = ObjectIdentifier(connection)
                #expect(busy.withLock { $0.insert(id).inserted })
                busy.withLock { _ = $0.remove(id) }
                readers.putBack(connection)
            }
        }
        var count = 0
        while readers.take() != nil { count += 1 }
        #expect(count == 3)
    }

    private struct WeakConnection {
        weak var connection: SQLiteConnection?

        init(_ connection: SQLiteConnection) {
            self.connection = connection
        }

        var isOpen: Bool { connection != nil }
    }
}
