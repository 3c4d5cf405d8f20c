// A store of partial bodies has a file system and a clock.
@_exported public import HalcyonSystem

// A request and a transfer have a priority, so an importer of this module can name one.
@_exported public import enum HalcyonSystem.LoadPriority
@_exported public import struct HalcyonSystem.StoreClock
