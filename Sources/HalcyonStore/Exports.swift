// Configurations of this module name file systems and clocks, and calls of tiers priorities.
@_exported public import HalcyonSystem

@_exported public import enum HalcyonSystem.LoadPriority
@_exported public import struct HalcyonSystem.StoreClock
