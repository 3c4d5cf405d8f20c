@_exported public import HalcyonCodecs
