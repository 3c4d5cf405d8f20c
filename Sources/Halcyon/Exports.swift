@_exported public import HalcyonCodecs
@_exported public import HalcyonHTTP
@_exported public import HalcyonIsolation
@_exported public import HalcyonRaster
@_exported public import HalcyonStore
@_exported public import HalcyonSystem
