/// What tests put in the place of the system's answers.
package struct SystemOverrides: Sendable, Hashable {
    /// Instead of the process's variables.
    package var environment: [String: String]?
    /// "host:port:address", as libcurl's CURLOPT_RESOLVE takes it, instead of name look-ups.
    package var addresses: [String] = []
}
