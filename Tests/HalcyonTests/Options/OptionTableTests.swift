import Testing

@testable import Halcyon

@Suite("Each field of the options")
struct OptionTableTests {
    @Test("has its default, and is in the table")
    func defaults() {
        #expect(Set(OptionTable.rows.map(\.field)) == Set(ImageOptionField.allCases))
        for row in OptionTable.rows {
            #expect(row.number(ImageOptions().fields) == 0, "\(row.field)")
            #expect(row.number(ImageOptions([]).fields) == 0, "\(row.field)")
        }
    }

    @Test("has the value of the last option that sets it")
    func lastOne() {
        for row in OptionTable.rows {
            for (first, one) in row.options.enumerated() {
                for (second, other) in row.options.enumerated() where first != second {
                    let alone = row.number(ImageOptions([other]).fields)
                    #expect(alone != nil, "\(row.field)")
                    #expect(row.number(ImageOptions([one, other]).fields) == alone, "\(row.field)")
                    #expect(row.number(ImageOptions([one]).applying([other]).fields) == alone, "\(row.field)")
                    #expect(row.number(ImageOptions([one, other, one, other]).fields) == alone, "\(row.field)")
                    // So has a call whose pipeline has the other as its default.
                    #expect(row.number(ImageOptions([other]).filled(from: [one]).fields) == alone, "\(row.field)")
                }
            }
        }
    }

    @Test("keeps its value where options set others")
    func independence() {
        for row in OptionTable.rows {
            guard let option = row.options.last else { continue }
            let value = row.number(ImageOptions([option]).fields)
            for other in OptionTable.rows where other.field != row.field {
                // One option may set several fields.
                guard let last = other.options.last else { continue }
                #expect(row.number(ImageOptions([option, last]).fields) == value, "\(row.field) \(other.field)")
            }
        }
    }
}
