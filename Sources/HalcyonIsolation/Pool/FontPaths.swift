internal import Glibc

/// The files and folders that a drawing may read: fonts, and the settings and caches of fontconfig
/// (https://www.freedesktop.org/software/fontconfig/fontconfig-user.html).
enum FontPaths {
    static var standard: [String] {
        var paths = [
            "/usr/share/fonts", "/usr/local/share/fonts", "/usr/X11R6/lib/X11/fonts", "/etc/fonts",
            "/usr/share/fontconfig",
            "/var/cache/fontconfig", "/usr/lib/fontconfig",
        ]
        func add(_ variable: String, _ fallback: String, _ names: [String]) {
            let home = getenv("HOME").map { String(cString: $0) }
            guard let folder = getenv(variable).map({ String(cString: $0) }) ?? home.map({ "\($0)/\(fallback)" }),
                folder.hasPrefix("/")
            else { return }
            paths += names.map { "\(folder)/\($0)" }
        }
        add("XDG_DATA_HOME", ".local/share", ["fonts"])
        add("XDG_CONFIG_HOME", ".config", ["fontconfig"])
        add("XDG_CACHE_HOME", ".cache", ["fontconfig"])
        if let home = getenv("HOME") { paths.append("\(String(cString: home))/.fonts") }
        return paths
    }
}
