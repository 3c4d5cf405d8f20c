import Testing

@testable import Halcyon

@Suite("A bounded table")
struct BoundedTableTests {
    @Test("lets the oldest go when it is full; putting in again makes young")
    func oldest() {
        var table = BoundedTable<String, Int>(capacity: 2)
        table.insert(1, for: "a")
        table.insert(2, for: "b")
        table.insert(3, for: "a")
        table.insert(4, for: "c")
        #expect(table["a"] == 3)
        #expect(table["b"] == nil)
        #expect(table["c"] == 4)
        #expect(table.count == 2)
    }

    @Test("does not grow, whatever is put in and removed")
    func bounded() {
        var table = BoundedTable<Int, Int>(capacity: 8)
        for index in 0..<10_000 {
            table.insert(index, for: index % 20)
            if index % 3 == 0 { table.remove(index % 7) }
            #expect(table.count <= 8)
        }
        #expect(table[9_999 % 20] == 9_999)
        table.removeAll { _ in true }
        #expect(table.count == 0)
    }

    @Test("takes any capacity", arguments: [Int.min, 0, .max / 2 + 1, .max])
    func capacity(_ capacity: Int) {
        var table = BoundedTable<Int, Int>(capacity: capacity)
        for key in 1...3 { table.insert(key, for: key) }
        #expect(table[3] == 3)
        #expect(table.count == (capacity > 1 ? 3 : 1))
    }
}
