/// The answers that replace the system's in tests.
package struct SystemOverrides: Sendable, Hashable {
    /// The variables instead of the process's.
    package var environment: [String: String]?
    /// The addresses instead of name look-ups: "host:port:address", as libcurl's CURLOPT_RESOLVE takes it.
    package var addresses: [String] = []
}
