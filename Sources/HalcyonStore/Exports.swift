// Configurations of this module name file systems and clocks, and calls of tiers priorities.
@_exported public import HalcyonFiles

@_exported public import enum HalcyonConcurrency.LoadPriority
@_exported public import struct HalcyonConcurrency.StoreClock
