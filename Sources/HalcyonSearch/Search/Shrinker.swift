/// Reduces a failing program: removes steps, then simplifies arguments, for as long as it still fails.
struct Shrinker {
    /// Returns whether a program breaks the rule that is searched for.
    let fails: (Program) throws -> Bool
    /// Returns whether there is time for more.
    var goesOn: () -> Bool = { true }

    /// Returns the smallest failing program that was found.
    func shrunk(_ program: Program) throws -> Program {
        var program = program
        var isSmaller = true
        while isSmaller, goesOn() {
            let dropped = try withFewerLines(program)
            let simplified = try withSimplerArguments(dropped)
            isSmaller = simplified != program
            program = simplified
        }
        return program
    }

    /// Removes halves, quarters and so on down to single lines.
    private func withFewerLines(_ program: Program) throws -> Program {
        var program = program
        var size = max(1, program.lines.count / 2)
        while goesOn() {
            var start = 0
            while start < program.lines.count, goesOn() {
                var candidate = program
                candidate.lines.removeSubrange(start..<min(start + size, program.lines.count))
                if try fails(candidate) { program = candidate } else { start += size }
            }
            if size == 1 { break }
            size = max(1, size / 2)
        }
        return program
    }

    private func withSimplerArguments(_ program: Program) throws -> Program {
        var program = program
        var isChanged = true
        while isChanged, goesOn() {
            isChanged = false
            for candidate in program.simplifications where goesOn() {
                if try fails(candidate) {
                    program = candidate
                    isChanged = true
                    break
                }
            }
        }
        return program
    }
}
