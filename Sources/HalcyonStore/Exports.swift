// Configurations of this module name file systems and clocks.
@_exported public import HalcyonFiles

@_exported public import struct HalcyonConcurrency.StoreClock
