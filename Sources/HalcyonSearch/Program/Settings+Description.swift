extension Settings: CustomStringConvertible {
    var description: String {
        var words: [String] = []
        if let serializer { words.append("serializer \(serializer.rawValue)") }
        if hasCodecs { words.append("own codecs") }
        if hasTypeHint { words.append("type hint") }
        if isBounded { words.append("scales large images down") }
        if let reading { words.append("reads \(reading.rawValue)") }
        if let caches { words.append("\(caches.rawValue) caches") }
        if hasNamedScope { words.append("named scope") }
        if hasDownloader { words.append("own downloader") }
        if let signature { words.append("signature \(signature)") }
        if let spelling { words.append("URLs with \(spelling.rawValue)") }
        if let durability { words.append("durability \(durability.rawValue)") }
        if hasScale { words.append("scale 2") }
        if hasModifier { words.append("image modifier") }
        if includesData { words.append("with original data") }
        if let executor { words.append("calls back on \(executor.rawValue)") }
        if isInexact { words.append("inexact") }
        if isObserved { words.append("observed") }
        if hasWorkers { words.append("own workers") }
        if let lifetime { words.append("lifetime \(lifetime.rawValue)") }
        if let staleIfError { words.append("stale if error: \(staleIfError.rawValue)") }
        if let bound { words.append("bound of \(bound.rawValue)") }
        if let hook { words.append("with \(hook.rawValue)") }
        if retries { words.append("retries") }
        if refusesMetered { words.append("refuses a metered network") }
        if let preview { words.append("preview r\(preview)") }
        if let alternative { words.append("or else r\(alternative)") }
        if let lowData { words.append("metered: r\(lowData)") }
        if let otherForm { words.append("other sources as \(otherForm.rawValue)") }
        return words.joined(separator: "; ")
    }
}
