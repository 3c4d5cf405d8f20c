/// A sequence of values that are made as they are asked for.
struct CountedSequence<Element: Sendable>: Sequence, Sendable {
    let count: Int
    let make: @Sendable (Int) -> Element

    init(count: Int, make: @escaping @Sendable (Int) -> Element) {
        self.count = count
        self.make = make
    }

    func makeIterator() -> some IteratorProtocol<Element> {
        var number = 0
        return AnyIterator {
            guard number < count else { return nil }
            defer { number += 1 }
            return make(number)
        }
    }
}
