import Testing

@testable import Halcyon

@Suite("The numbers of permits")
struct PermitNumbersTests {
    @Test("are those that were added and not removed, whatever the order", arguments: 1...5)
    func numbers(_ count: Int) {
        let all = (1...UInt64(count)).map { $0 * 7 }
        for first in all.indices {
            var (numbers, left) = (PermitNumbers(), Set(all))
            #expect(numbers.isEmpty)
            for number in all { numbers.insert(number) }
            for number in all[first...] + all[..<first] {
                #expect(numbers.count == left.count)
                #expect(numbers.min() == left.min())
                numbers.remove(number)
                left.remove(number)
            }
            #expect(numbers.isEmpty)
            #expect(numbers.min() == nil)
        }
    }

    @Test("fill the places that others left")
    func reuse() {
        var numbers = PermitNumbers()
        for number in 1...UInt64(4) { numbers.insert(number) }
        numbers.remove(1)
        numbers.insert(5)
        #expect(numbers.count == 4)
        #expect(numbers.min() == 2)
    }
}
