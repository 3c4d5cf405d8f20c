package import FoundationEssentials
internal import Glibc

/// Returns the offset of the first byte in which `left` and `right` differ; `nil` if they are the same.
///
/// Where one goes on after the other has ended, that is the length of the shorter one.
///
/// For `#expect(firstDifference(received, sent) == nil)`. Of two unequal collections, `#expect(received == sent)`
/// computes each insertion and removal that leads from one to the other, which takes hours for megabytes: a test that
/// ought to fail would never end.
package func firstDifference(_ left: some ContiguousBytes, _ right: some ContiguousBytes) -> Int? {
    left.withUnsafeBytes { left in
        right.withUnsafeBytes { right in
            let shared = min(left.count, right.count)
            if let leftStart = left.baseAddress, let rightStart = right.baseAddress,
                memcmp(leftStart, rightStart, shared) != 0
            {
                return (0..<shared).first { left[$0] != right[$0] }
            }
            return left.count == right.count ? nil : shared
        }
    }
}
