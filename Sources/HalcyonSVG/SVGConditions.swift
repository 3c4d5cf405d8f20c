internal import FoundationEssentials
internal import Glibc
internal import HalcyonCodecs

/// Takes away elements whose conditions do not hold (SVG 2, section 5.7): librsvg looks at those only in a `switch`.
enum SVGConditions {
    private static let languages = "systemLanguage"
    private static let extensions = "requiredExtensions"
    /// What is drawn where it stands; on others the conditions have no meaning.
    private static let drawn: Set<String> = [
        "a", "circle", "ellipse", "foreignObject", "g", "image", "line", "path", "polygon", "polyline", "rect", "svg",
        "switch", "text", "textPath", "tspan", "use",
    ]

    /// Lets such elements of a document not be displayed.
    static func apply(to markup: inout SVGMarkup) {
        guard markup.holds(anyOf: [languages, extensions]) else { return }
        for index in markup.elements.indices {
            let element = markup.elements[index]
            guard drawn.contains(element.name), let parent = element.parent, markup.elements[parent].name != "switch",
                markup.value(languages, of: element).map({ !isUnderstood($0) }) ?? false
                    || markup.value(extensions, of: element) != nil
            else {
                continue
            }
            markup.setProperty("display", to: "none", of: element)
        }
    }

    /// Returns whether one of a list of languages is that of the user, or English, which programs take for the language
    /// of a user they know nothing about.
    private static func isUnderstood(_ list: String) -> Bool {
        list.split(separator: ",").contains { understood.contains(primary(SVGMarkup.trimmed($0))) }
    }

    /// The languages of the process, as librsvg finds them for a `switch`.
    private static let understood: Set<String> = {
        let names: [String] = ["LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"]
        let values = names.compactMap { name in getenv(name).map { String(cString: $0) } }
        return Set(values.flatMap { $0.split(separator: ":").map { primary($0) } } + ["en"])
    }()

    /// "de" of "de-AT" and of "de_AT.UTF-8".
    private static func primary(_ language: some StringProtocol) -> String {
        language.prefix { $0 != "-" && $0 != "_" && $0 != "." }.lowercased()
    }
}
