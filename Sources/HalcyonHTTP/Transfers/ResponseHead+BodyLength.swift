extension ResponseHead {
    /// The length by `Content-Length`, which counts the coded bytes and means nothing beside `Transfer-Encoding` (RFC
    /// 9112, 6.3).
    var expectedBodyBytes: Int? {
        guard transferCodings == .none, contentCodings.isEmpty, case .bytes(let length) = contentLength else {
            return nil
        }
        return length
    }

    /// A Boolean value that indicates whether the head states where the body ends. In HTTP/1, it is else the end of the
    /// connection.
    var isDelimited: Bool {
        if transferCodings == .chunked { return true }
        if case .bytes = contentLength, transferCodings == .none { return true }
        return false
    }

    /// The reason why the end of the body cannot be determined; `nil` if it is clear.
    var framingProblem: String? {
        switch transferCodings {
        case .unknown(let text): return "Transfer-Encoding: \(text)"
        case .chunked, .identity: return nil
        case .none: break
        }
        guard case .unclear(let text) = contentLength else { return nil }
        return "Content-Length: \(text)"
    }
}
