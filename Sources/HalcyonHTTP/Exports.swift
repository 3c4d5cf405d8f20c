// A store of partial bodies has a file system and a clock.
@_exported public import HalcyonFiles

// A request and a transfer have a priority, so an importer of this module can name one.
@_exported public import enum HalcyonConcurrency.LoadPriority
@_exported public import struct HalcyonConcurrency.StoreClock
